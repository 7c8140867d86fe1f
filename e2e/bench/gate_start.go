//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// starts measures gate 14, the time from the start of the program to the end of its first answer.
func (b *bench) starts(context.Context) error {
	n := 9
	if b.short {
		n = 5
	}
	help := request("GET", "/help", "", "Accept: text/markdown")
	large := request("GET", b.large.Small, "", "Authorization: Bearer "+b.large.Token, "Accept: text/markdown")
	var full, empty []time.Duration
	for i := range n {
		if err := readAhead(b.large.Folder); err != nil {
			return err
		}
		took, err := b.firstPage(b.large.Folder, large)
		if err != nil {
			return err
		}
		full = append(full, took)
		if took, err = b.firstPage(filepath.Join(b.folder, fmt.Sprintf("empty-%d", i)), help); err != nil {
			return err
		}
		empty = append(empty, took)
	}
	middle := func(list []time.Duration) (float64, string) {
		slices.Sort(list)
		return ms(list[len(list)/2]), fmt.Sprintf("%.1f to %.1f ms", ms(list[0]), ms(list[len(list)-1]))
	}
	took, spread := middle(full)
	b.most(14, fmt.Sprintf("start to first page, %d rows", b.large.Rows), took, 50, " ms", spread)
	took, spread = middle(empty)
	b.most(14, "start to first page, empty folder", took, 150, " ms", spread)
	return nil
}

func (b *bench) firstPage(folder string, ask []byte) (time.Duration, error) {
	begin := time.Now()
	server, err := b.serve(folder)
	if err != nil {
		return 0, err
	}
	status, _, err := once(server.addr, ask)
	took := time.Since(begin)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("first page: status %d", status)
	}
	if serr := b.end(server); err == nil {
		err = serr
	}
	return took, err
}

// size measures gate 16, the size of the binary.
func (b *bench) size(context.Context) error {
	info, err := os.Stat(b.binary)
	if err != nil {
		return err
	}
	b.most(16, "stripped binary", float64(info.Size())/(1<<20), 45, " MB", "")
	return nil
}
