// Package corpus holds tests that read tables which other systems wrote, and compare every version with what these
// systems say is in it. The tables lie outside of the repository, in ../shared or where TARN_SHARED says; without
// them the tests are skipped, except under CI.
package corpus
