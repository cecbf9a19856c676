package storage_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/tarn-lake/tarn/storage"
)

// Two writers want the same version of a table's log.
func Example() {
	ctx := context.Background()
	b := storage.NewMem() // or storage.OpenLocal("/warehouse")
	table, err := storage.Sub(b, "flights")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, writer := range []string{"first", "second"} {
		err := storage.WriteFile(ctx, table, "_delta_log/00000000000000000000.json", storage.Exclusive, []byte(writer))
		switch {
		case err == nil:
			fmt.Println(writer, "committed")
		case errors.Is(err, fs.ErrExist):
			fmt.Println(writer, "lost: another writer has this version")
		case errors.Is(err, storage.ErrUnknown):
			fmt.Println(writer, "must read the version back")
		default:
			fmt.Println(writer, "did not commit:", err)
		}
	}
	for info, err := range b.List(ctx, "flights/_delta_log", "") {
		fmt.Println(info.Name, info.Size, err)
	}
	// Output:
	// first committed
	// second lost: another writer has this version
	// flights/_delta_log/00000000000000000000.json 5 <nil>
}

// The disk is stopped between the content's fsync and the link that names it.
func ExampleMem_Crash() {
	ctx := context.Background()
	m := storage.NewMem()
	m.Steps().Fail(6, storage.Stop, nil)
	err := storage.WriteFile(ctx, m, "log/0.json", storage.Exclusive, []byte("commit"))
	fmt.Println(err)
	fmt.Print(m.Steps().Log())

	found := m.Crash(1, 0)
	_, err = found.Open(ctx, "log/0.json")
	fmt.Println(err)
	// Output:
	// commit mem:log/0.json: outcome unknown: stopped by the test
	// 1 create log/(temp)
	// 2 mkdir log
	// 3 create log/(temp)
	// 4 write log/(temp)
	// 5 fsync log/(temp)
	// 6 link log/0.json <- stops
	// open mem:log/0.json: file does not exist
}
