package main
import ("database/sql";"fmt";"os";"time"; _ "github.com/mattn/go-sqlite3")
func main(){
 db,_:=sql.Open("sqlite3","file:"+os.Args[1]+"?_stmt_cache_size=64&_query_only=1"); db.SetMaxOpenConns(1)
 q:=os.Args[2]; var args []any; for _,a:=range os.Args[3:]{args=append(args,a)}
 rows,err:=db.Query("EXPLAIN QUERY PLAN "+q,args...); if err!=nil{panic(err)}
 for rows.Next(){var a,b,c int; var d string; rows.Scan(&a,&b,&c,&d); fmt.Println(d)}
 n:=0
 for k:=0;k<3;k++{ s:=time.Now(); for i:=0;i<2000;i++{ r,err:=db.Query(q,args...); if err!=nil{panic(err)}; for r.Next(){n++}; r.Close()}; fmt.Println(time.Since(s)/2000, n) }
}
