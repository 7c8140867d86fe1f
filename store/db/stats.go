package db

import (
	"sync/atomic"

	"github.com/jmoiron/sqlx"
)

// Stats has counts since the opening of the database, and present sizes. The tags declare a metric for each field.
type Stats struct {
	Statements int64            `metric:"samepage_statements_total" help:"SQL statements of reads and writes."`
	Reads      int64            `metric:"samepage_reads_total" help:"Read transactions that ended, well or not."`
	Writes     int64            `metric:"samepage_writes_total" help:"Write transactions that were committed."`
	Undone     int64            `metric:"samepage_writes_undone_total" help:"Write transactions that were undone."`
	InUse      map[string]int64 `metric:"samepage_connections_in_use" labels:"pool" help:"Connections in use."`
	Waits      map[string]int64 `metric:"samepage_connection_waits_total" labels:"pool" help:"Waits for a free connection."`
	File       *FileStats       // nil for a database on a server
}

// FileStats has the stats of a database in a file.
type FileStats struct {
	Queue   int64     `metric:"samepage_writer_queue" help:"Writes that wait for the one writer."`
	Batches Histogram `metric:"samepage_writer_batch_writes" help:"Writes that one commit made durable."`
	Log     int64     `metric:"samepage_wal_bytes" help:"Size of the write-ahead log."`
}

type counts struct {
	statements, reads, writes, undone atomic.Int64
	batches                           [len(batchBounds)]atomic.Int64
	batched                           atomic.Int64 // sum of the sizes of all batches
}

// batchBounds are the upper bounds of the histogram classes for the sizes of batches.
var batchBounds = [...]int{1, 2, 4, 8, 16, 32, batchJobs}

func (c *counts) read(tx *Tx) {
	c.reads.Add(1)
	c.statements.Add(int64(tx.Queries))
}

func (c *counts) write(tx *Tx, committed bool) {
	c.statements.Add(int64(tx.Queries))
	if committed {
		c.writes.Add(1)
	} else {
		c.undone.Add(1)
	}
}

// batch counts a batch and its writes. The size of a batch is the number of committed writes. A batch of size 0 is not
// counted.
func (c *counts) batch(ran []*job) {
	size := 0
	for _, j := range ran {
		c.write(j.tx, j.err == nil)
		if j.err == nil {
			size++
		}
	}
	if size == 0 {
		return
	}
	c.batched.Add(int64(size))
	for i, most := range batchBounds {
		if size <= most {
			c.batches[i].Add(1)
			return
		}
	}
}

func (c *counts) stats(readers, writers *sqlx.DB) Stats {
	r, w := readers.Stats(), writers.Stats()
	return Stats{
		Statements: c.statements.Load(),
		Reads:      c.reads.Load(),
		Writes:     c.writes.Load(),
		Undone:     c.undone.Load(),
		InUse:      map[string]int64{"read": int64(r.InUse), "write": int64(w.InUse)},
		Waits:      map[string]int64{"read": r.WaitCount, "write": w.WaitCount},
	}
}

// Stats implements [DB].
func (s *sqliteFile) Stats() Stats {
	all := s.counts.stats(s.readers, s.writing)
	all.File = &FileStats{Queue: int64(len(s.writer.jobs)), Log: s.writer.log.size(),
		Batches: Histogram{sum: s.counts.batched.Load()}}
	for i := range all.File.Batches.counts {
		all.File.Batches.counts[i] = s.counts.batches[i].Load()
	}
	return all
}

// Stats implements [DB].
func (p *postgresServer) Stats() Stats { return p.counts.stats(p.readers, p.writers) }

// Histogram has the number of batches in each class of sizes.
type Histogram struct {
	counts [len(batchBounds)]int64
	sum    int64
}

// Buckets returns the number of batches, the sum of their sizes, and for each upper bound the number of batches up to
// that size.
func (h Histogram) Buckets() (count uint64, sum float64, upTo map[float64]uint64) {
	upTo = map[float64]uint64{}
	for i, n := range h.counts {
		count += uint64(n)
		upTo[float64(batchBounds[i])] = count
	}
	return count, float64(h.sum), upTo
}
