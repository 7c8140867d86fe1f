package world
import ("testing";"time";"os")
func TestBig(t *testing.T){
 os.RemoveAll("/tmp/worlds/1m"); 
 s:=time.Now(); _,err:=Make(t.Context(),"/tmp/worlds/1m",1000000,true); t.Log(time.Since(s),err)
 os.RemoveAll("/tmp/worlds/1k"); 
 s=time.Now(); _,err=Make(t.Context(),"/tmp/worlds/1k",1000,false); t.Log(time.Since(s),err)
}
