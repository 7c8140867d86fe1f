package process

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// often is the time between two checks of the remaining processes.
const often = 20 * time.Millisecond

// stubborn is the maximum time to wait for processes after SIGKILL. The kernel ends a process that waits for a disk
// only after the wait.
const stubborn = 2 * time.Second

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// masking is locked while the umask of the whole process is changed.
var masking sync.Mutex

// startPrivately starts a command with a umask of 077, so that only this user can read its new files. All threads of a
// process share one umask, so the command starts from a thread that unshares its umask and ends after the start. If
// unsharing is forbidden, as in some containers, the umask of the whole process is changed during the start.
func startPrivately(cmd *exec.Cmd) error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		if unix.Unshare(unix.CLONE_FS) != nil {
			masking.Lock()
			defer masking.Unlock()
			defer unix.Umask(unix.Umask(0o077))
		} else {
			unix.Umask(0o077)
		}
		started <- cmd.Start()
	}()
	return <-started
}

// awaitEnd returns when a child has ended. It leaves the zombie, so that the process id stays taken.
func awaitEnd(pid int) {
	for {
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// endGroup ends the processes of the group, unless group is 0, and all other processes that have the key in their
// environment. If grace is positive, the processes first get SIGTERM, and that much time to end. The rest get SIGKILL.
// endGroup returns the number of processes that it found.
func endGroup(group int, key string, grace time.Duration) int {
	first := members(group, key)
	if len(first) == 0 {
		return 0
	}
	if grace > 0 {
		signal(group, key, first, unix.SIGTERM)
		if gone(group, key, grace) {
			return len(first)
		}
	}
	for until := time.Now().Add(stubborn); time.Now().Before(until); {
		left := members(group, key)
		if len(left) == 0 {
			break
		}
		signal(group, key, left, unix.SIGKILL)
		time.Sleep(often)
	}
	return len(first)
}

func gone(group int, key string, patience time.Duration) bool {
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(often) {
		if len(members(group, key)) == 0 {
			return true
		}
	}
	return false
}

// signal sends a signal to the group, and to each listed process outside of the group that still has the key. It does
// not signal the groups of these processes, because this program may be in one of them.
func signal(group int, key string, list []entry, s syscall.Signal) {
	if group > 1 {
		_ = unix.Kill(-group, s) // fails if the group has just ended
	}
	for _, e := range list {
		if e.group == group {
			continue
		}
		if p, err := os.FindProcess(e.pid); err == nil { // p refers to the process even if its id is reused
			if hasKey(e.pid, key) {
				_ = p.Signal(s)
			}
			_ = p.Release()
		}
	}
}

// entry is a process that has not ended.
type entry struct{ pid, group int }

// members returns the processes of the group and those with the key, except this process.
func members(group int, key string) []entry {
	var list []entry
	for _, e := range processes() {
		if e.pid != os.Getpid() && (group > 1 && e.group == group || hasKey(e.pid, key)) {
			list = append(list, e)
		}
	}
	return list
}

func processes() []entry {
	folders, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var list []entry
	for _, f := range folders {
		pid, err := strconv.Atoi(f.Name())
		if err != nil {
			continue
		}
		fields, err := stat(pid)
		if err != nil || fields[0] == "Z" || fields[0] == "X" {
			continue
		}
		if group, err := strconv.Atoi(fields[2]); err == nil {
			list = append(list, entry{pid, group})
		}
	}
	return list
}

// stat returns the fields of /proc/PID/stat from the state on.
func stat(pid int) ([]string, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(string(data[bytes.LastIndexByte(data, ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return nil, errors.New("/proc has fewer fields of a process than expected")
	}
	return fields, nil
}

// startOf returns the start time of a process, in clock ticks after the boot.
func startOf(pid int) (uint64, error) {
	fields, err := stat(pid)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(fields[19], 10, 64)
}

// hasKey reports whether the environment with which a process was started has the key. It returns false if the
// environment cannot be read.
func hasKey(pid int, key string) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	for v := range bytes.SplitSeq(data, []byte{0}) {
		if string(v) == mark+"="+key {
			return true
		}
	}
	return false
}

func bootID() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
