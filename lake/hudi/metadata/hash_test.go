package metadata

import "testing"

func TestHashes(t *testing.T) {
	// From keys of tables that Hudi wrote.
	for name, want := range map[string]string{
		"driver": "AjpJ7N1gBZc=", "city=sao_paulo": "6Hj+sBy+gvM=", ".": "FXThHwelITM=", "": "DW/eaNVbRdo=", "region=eu": "bOOVnCDQlm8=",
		"_hoodie_partition_path": "qeAH/5q1L8c=", "_hoodie_commit_time": "JBBzUToHtLc=", "region=us/day=2024-01-03": "x7GygfzXJws=",
		"region=__HIVE_DEFAULT_PARTITION__/day=2024-01-03": "WFPPzYTIhMo=",
	} {
		if got := nameHash(name); got != want {
			t.Errorf("nameHash(%q) = %s, want %s", name, got, want)
		}
	}
	if got := fileHash("6d160c69-bd64-4c14-bf58-7cbfc0cba238-0_0-309-462_20261130171722739.parquet"); got != "Pa2+82iH0TMLmYonQimWmg==" {
		t.Errorf("fileHash = %s", got)
	}
}

func TestShard(t *testing.T) {
	for key, want := range map[string]int{"e96c4396-3fad-413a-a942-4cb36106d721": 1, "TXN-001": 8} {
		if got := shard(key, 10); got != want {
			t.Errorf("shard(%q, 10) = %d, want %d", key, got, want)
		}
	}
	// Java: "polygenelubricants".hashCode() is the least int.
	if got := shard("polygenelubricants", 10); got != 8 {
		t.Errorf("shard of the least hash = %d", got)
	}
}

func TestSecondaryKey(t *testing.T) {
	for _, c := range []struct {
		value  string
		null   bool
		record string
		want   string
	}{
		{"r-A", false, "k1", "r-A$k1"}, {"a$b", false, `k\1`, `a\$b$k\\1`}, {"", true, "k", "\x00$k"}, {"", false, "k", "$k"}, {"\x00", false, "", "\\\x00$"},
	} {
		v := &c.value
		if c.null {
			v = nil
		}
		got := secondaryKey(v, c.record)
		if got != c.want {
			t.Errorf("secondaryKey(%q, %q) = %q, want %q", c.value, c.record, got, c.want)
		}
		back, record, ok := splitSecondaryKey(got)
		if !ok || record != c.record || (back == nil) != c.null || back != nil && *back != c.value {
			t.Errorf("splitSecondaryKey(%q) = %v, %q, %v", got, back, record, ok)
		}
	}
	for _, bad := range []string{"", "nothing", `a$b\`} {
		if _, _, ok := splitSecondaryKey(bad); ok {
			t.Errorf("splitSecondaryKey(%q) is ok", bad)
		}
	}
}
