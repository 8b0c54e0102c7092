package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// arrowSample returns a stream of four batches with a dictionary, as Apache's arrow-go writes it.
func arrowSample() []byte {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "ticker", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		{Name: "price", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema), ipc.WithDictionaryDeltas(true))
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 4 {
		for range 4000 {
			if err := b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprint("TICK", r.IntN(10*(i+1)))); err != nil {
				panic(err)
			}
			if r.IntN(20) == 0 {
				b.Field(1).AppendNull()
			} else {
				b.Field(1).(*array.Int64Builder).Append(r.Int64N(100000))
			}
		}
		if err := w.Write(b.NewRecordBatch()); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// checkArrow holds what arrow-go reads from output against what it reads from input.
func checkArrow(t testing.TB, input, output []byte) {
	t.Helper()
	if len(output)*5 > len(input)*4 {
		t.Errorf("%d bytes became %d", len(input), len(output))
	}
	a, err := ipc.NewReader(bytes.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	b, err := ipc.NewReader(bytes.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; a.Next() && b.Next(); n++ {
		if !array.RecordEqual(a.RecordBatch(), b.RecordBatch()) {
			t.Fatalf("batch %d differs", n)
		}
	}
	if n != 4 || a.Next() || b.Next() || a.Err() != nil || b.Err() != nil {
		t.Errorf("%d batches, %v, %v", n, a.Err(), b.Err())
	}
}
