package main
import ("testing";"os";"os/exec";"fmt";"time";"context";"net/http";"samepage/e2e/bench/world")
func TestZZ(t *testing.T){
 P:="/var/tmp/bh"
 w,err:=world.Make(context.Background(),P+"/worlds/world-1000000",1000000,true); if err!=nil{t.Fatal(err)}
 b:=&bench{binary:P+"/samepage_sym",large:w}
 s,err:=b.serve(w.Folder); if err!=nil{t.Fatal(err)}
 defer s.stop()
 ask:=navigate(w.Token,w.Small)
 text,err:=toolText(s,ask); if err!=nil{t.Fatal(err)}
 f,_:=os.CreateTemp("","x"); f.WriteString(text); f.Seek(0,0); p2,err:=startWith(f,P+"/bench","tool"); if err!=nil{t.Fatal(err)}; defer p2.stop()
 for name,tg:=range map[string]*target{"nav":{name:"n",server:s,status:http.StatusOK,requests:[][]byte{ask}},"page":page("p",s,w,w.Small),"tool":{name:"t",server:p2,status:http.StatusOK,requests:[][]byte{ask}}} {
 tg.load(16,500*time.Millisecond)
 pc:=exec.Command("perf","record","-e","cpu-clock","-F","5000","-p",fmt.Sprint(tg.server.cmd.Process.Pid),"-o",P+"/"+name+".data","--","sleep","4"); pc.Start()
 x,err:=tg.load(16,5*time.Second); if err!=nil{t.Fatal(err)}
 pc.Wait()
 fmt.Printf("%s %.0f/s cpu %d\n",name,x.rate(),x.cpu.Microseconds())
 }
}
