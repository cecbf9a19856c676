-- tarn
CREATE TABLE {t} (b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, c DECIMAL(20,4), w DECIMAL(38,10), x BINARY, n TIMESTAMP_NTZ, a ARRAY<STRING>, m MAP<STRING, INT>);
INSERT INTO {t} VALUES
  (true, 127, -32768, 2147483647, -9223372036854775808, 1.5, 2.5e300, 1234567890.1234, 1e20, X'00FF', TIMESTAMP_NTZ'2026-11-30 12:34:56.789', array('a', NULL, ''), map('k', 1)),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (false, 0, 0, 0, 0, -0.0, 1e-5, -0.0001, -1, X'', TIMESTAMP_NTZ'1900-01-01 00:00:00', array(), map());
-- check
-- spark
INSERT INTO {t} SELECT b, t, s, i, l, f, d, c, w, x, n, a, m FROM {t};
-- check
-- tarn
DELETE FROM {t} WHERE d > 1e299;
-- check
