package pgtest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"samepage/store/asuser"
	"samepage/store/shm"
)

// Server is a private PostgreSQL server for tests. It accepts connections only on a Unix socket in its own folder.
type Server struct {
	URL string // URL of the database postgres

	dir, data string
	programs  string
	user      *[2]uint32 // user and group of the server process; nil for those of the test
}

// ErrNone is returned by [Start] if PostgreSQL is not installed.
var ErrNone = errors.New("there is no PostgreSQL here: apt-get install postgresql")

// Start starts a server with an empty cluster, and waits until it accepts connections. The caller must call
// [Server.Stop]. The server's files are in memory if 8 GiB are free there. The server flushes each commit, like a
// production server.
func Start() (*Server, error) {
	programs, err := find()
	if err != nil {
		return nil, err
	}
	// The name is short, because a socket's path has at most 107 bytes.
	dir, err := os.MkdirTemp(shm.Folder(8<<30), "samepage-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, data: filepath.Join(dir, "data"), programs: programs}
	if err := s.start(); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *Server) start() error {
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		if err := s.dropRoot(); err != nil {
			return err
		}
	}
	// This locale does not sort texts by bytes, so that code that relies on that order fails.
	if err := s.run("initdb", "--pgdata="+s.data, "--username=samepage", "--auth=trust", "--encoding=UTF8",
		"--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en"); err != nil {
		return err
	}
	// By default the server plans a statement anew at each of its first five executions on a connection. Tests have many
	// short connections, and planning would take most of their time.
	options := "-c listen_addresses='' -c unix_socket_directories='" + s.dir + "' -c max_connections=1000 " +
		"-c shared_buffers=64MB -c max_wal_size=4GB -c plan_cache_mode=force_generic_plan"
	if err := s.run("pg_ctl", "--pgdata="+s.data, "--log="+filepath.Join(s.dir, "log"), "--options="+options,
		"--wait", "--timeout=60", "start"); err != nil {
		text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		return fmt.Errorf("%w\n%s", err, text)
	}
	s.URL = "postgres://samepage@/postgres?host=" + url.QueryEscape(s.dir)
	return nil
}

// Database creates an empty database with this name and returns its URL.
func (s *Server) Database(name string) (where string, err error) {
	if err := do(s.URL, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		return "", err
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// Stop ends the server immediately, without a checkpoint, and removes its folder.
func (s *Server) Stop() error {
	defer os.RemoveAll(s.dir)
	if s.URL == "" {
		return nil
	}
	return s.run("pg_ctl", "--pgdata="+s.data, "--mode=immediate", "--wait", "stop")
}

// Crash ends the server without a checkpoint, as a crash does, and starts it again.
func (s *Server) Crash() error {
	return s.run("pg_ctl", "--pgdata="+s.data, "--log="+filepath.Join(s.dir, "log"), "--mode=immediate", "--wait",
		"--timeout=60", "restart")
}

// dropRoot makes the server run as the user postgres or, if there is none, as nobody.
func (s *Server) dropRoot() error {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uerr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gerr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uerr, gerr); err != nil {
			return err
		}
		s.user = &[2]uint32{uint32(uid), uint32(gid)}
		return os.Chown(s.dir, int(uid), int(gid))
	}
	return errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

func (s *Server) run(program string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.programs, program), args...)
	cmd.Dir = s.dir
	if s.user != nil {
		if err := asuser.Start(cmd, s.user[0], s.user[1]); err != nil {
			return err
		}
	}
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := os.CreateTemp("", "samepage-pg-") // a file, because the server would keep a pipe open
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(out.Name())
		return fmt.Errorf("%s: %w\n%s", program, err, text)
	}
	return nil
}

// find returns the folder with the programs of PostgreSQL, preferably the newest version in Debian's folders. It
// returns [ErrNone] if there is no initdb.
func find() (string, error) {
	list, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path, "/")[4])
		return n
	}
	if len(list) > 0 {
		return filepath.Dir(slices.MaxFunc(list, func(a, b string) int { return version(a) - version(b) })), nil
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	return "", ErrNone
}
