package timeline

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tarn-lake/tarn/internal/avro"
)

// A Record is what the file of an instant says: a plan while it is requested,
// and metadata when it is completed.
type Record interface {
	// schema names the Avro schema in which tables of a version hold the record,
	// "" if they do not.
	schema(version int) string
}

// Decode decodes the bytes of an instant's file into m. Avro files are decoded
// by the schema they bring, of whatever release; commits may be JSON. Empty
// bytes leave m as it was: so Hudi reads them.
func Decode(data []byte, m Record) error {
	if len(data) == 0 {
		return nil
	}
	if commit, ok := m.(*CommitMetadata); ok && data[0] == '{' {
		return commit.decodeJSON(data)
	}
	if commit, ok := m.(*CommitMetadata); ok {
		return commit.decodeAvro(data)
	}
	return decodeAvro(data, m)
}

// decodeAvro decodes the one record of an Avro file into a pointer to a struct.
func decodeAvro(data []byte, into any) error {
	found := false
	err := avro.ReadContainer(data, func(s *avro.Schema, record []byte) error {
		if found {
			return errors.New("more than one record")
		}
		found = true
		return s.Decode(record, into)
	})
	if err == nil && !found {
		err = fmt.Errorf("no record: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// Encode encodes m as the release of a table's version writes it: commits of
// versions below 8 as JSON, everything else as an Avro file with its schema.
func Encode(m Record, version int) ([]byte, error) {
	if commit, ok := m.(*CommitMetadata); ok && version < 8 {
		return commit.encodeJSON(version)
	}
	text, err := headerSchema(m.schema(version))
	if err != nil {
		return nil, fmt.Errorf("encode %T for table version %d: %w", m, version, err)
	}
	parsed, err := avro.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", m, err)
	}
	record, err := parsed.Encode(nil, avroForm(m))
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", m, err)
	}
	return avro.WriteContainer(parsed, record), nil
}

// schemas are the schemas in the headers of files that Hudi wrote, without
// documentation and Java's name of the string class. The number in a name is the
// first table version that has the schema.
//
//go:embed schemas/*.avsc
var schemas embed.FS

// schemaOf returns the newest schema of a record that a table version knows.
func schemaOf(record string, version int) string {
	for ; version > 0; version-- {
		name := fmt.Sprintf("schemas/%s.%d.avsc", record, version)
		if _, err := schemas.Open(name); err == nil {
			return name
		}
	}
	return ""
}

// headerSchema returns a schema as Hudi writes it into file headers, with Java's
// names.
func headerSchema(name string) (string, error) {
	plain, err := schemas.ReadFile(name)
	if err != nil {
		return "", err
	}
	java := strings.NewReplacer(`"string"`, `{"type":"string","avro.java.string":"String"}`,
		`{"type":"map",`, `{"type":"map","avro.java.string":"String",`)
	return java.Replace(strings.TrimSpace(string(plain))), nil
}

// avroForm returns what the Avro encoder takes for a record.
func avroForm(m Record) any {
	if commit, ok := m.(*CommitMetadata); ok {
		return commit.avro()
	}
	return m
}
