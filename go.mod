module github.com/sluice-js/sluice

go 1.26.0

require (
	github.com/apache/arrow-go/v18 v18.8.0
	github.com/bep/gowebp v0.4.0
	github.com/google/flatbuffers v25.12.19+incompatible
	github.com/klauspost/compress v1.20.4
	github.com/mattn/go-pointer v0.0.1
	github.com/pierrec/lz4/v4 v4.1.33
	golang.org/x/image v0.48.0
)

require (
	github.com/goccy/go-json v0.10.6 // indirect
	github.com/klauspost/cpuid/v2 v2.4.0 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	golang.org/x/exp v0.0.0-20260112195511-716be5621a96 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)
