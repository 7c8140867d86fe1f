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

// often is the time between two looks at which processes are left.
const often = 20 * time.Millisecond

// stubborn is how long processes are waited for that were ended by force. The kernel holds some back, such as one that
// waits for a disk.
const stubborn = 2 * time.Second

// ownGroup makes a program the first of a new process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// masking is held while the mask of this program is another one.
var masking sync.Mutex

// startPrivately starts a command whose new files only this user can read. The mask of a process belongs to all its
// threads, so the command starts from a thread that has a mask of its own and ends afterwards. Where threads cannot
// have that, as in some containers, new files of this program are private during the start, too.
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

// awaitEnd returns when a child has ended, and leaves it to be waited for.
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

// endGroup ends the process group unless its id is 0, and all processes with the key, wherever they are. With a grace
// it asks them first. It returns how many there were.
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

// signal sends a signal to the group as a whole, and to each other process alone, since the group of such a process
// may be that of this program.
func signal(group int, key string, list []entry, s syscall.Signal) {
	if group > 1 {
		_ = unix.Kill(-group, s) // fails if the group has just ended
	}
	for _, e := range list {
		if e.group == group {
			continue
		}
		if p, err := os.FindProcess(e.pid); err == nil { // holds the process, not its id
			if hasKey(e.pid, key) {
				_ = p.Signal(s)
			}
			_ = p.Release()
		}
	}
}

// entry is a process that has not ended.
type entry struct{ pid, group int }

// members returns the processes of the group and those with the key, except this one.
func members(group int, key string) []entry {
	var list []entry
	for _, e := range processes() {
		if e.pid != os.Getpid() && (group > 1 && e.group == group || hasKey(e.pid, key)) {
			list = append(list, e)
		}
	}
	return list
}

// processes lists the processes of this machine that have not ended.
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

// stat returns the fields of /proc/PID/stat that follow the program's name: state, parent, group and so on.
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

// startOf returns when a process started, in clock ticks after the boot.
func startOf(pid int) (uint64, error) {
	fields, err := stat(pid)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(fields[19], 10, 64)
}

// hasKey reports whether a process of this user was started with the key in its environment.
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
