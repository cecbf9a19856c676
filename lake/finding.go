package lake

// Severity says how bad a finding is.
type Severity uint8

// The severities.
const (
	Note    Severity = iota // costs space or time
	Warning                 // tarn works around it, another client may not
	Damage                  // rows are lost, wrong or cannot be read
)

var severityNames = [...]string{"note", "warning", "damage"}

// String is the severity in one word.
func (s Severity) String() string { return severityNames[s] }

// Finding is something that is not as it should be in a table.
type Finding struct {
	Severity Severity
	Where    string // a file of the table, or "" for the table
	What     string
	Remedy   string // what the user can do
}

// String is the finding in one line.
func (f Finding) String() string {
	s := f.Severity.String() + ": "
	if f.Where != "" {
		s += f.Where + ": "
	}
	s += f.What
	if f.Remedy != "" {
		s += " (" + f.Remedy + ")"
	}
	return s
}
