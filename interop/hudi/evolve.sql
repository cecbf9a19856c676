-- Columns of a table with schema-on-read are renamed, dropped, moved and retyped by tarn and by Hudi in turn. Hudi 1.x itself cannot rename and
-- drop top-level columns (MissingSchemaFieldException); it reads tables where that was done.
-- tarn
SET hoodie.schema.on.read.enable = true;
CREATE TABLE {t} (id INT, name STRING, price FLOAT, extra STRING, n INT, s STRUCT<x: INT, y: STRING>, arr ARRAY<STRUCT<p: INT, q: INT>>, d DATE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES
  (1, 'one', 1.25, 'x', 7, named_struct('x', 1, 'y', 'yy'), array(named_struct('p', 1, 'q', 2)), DATE '2024-01-01', 10, 'eu'),
  (2, 'two', 1e10, 'y', -8, named_struct('x', 2, 'y', 'zz'), array(named_struct('p', 3, 'q', 4)), DATE '2024-01-02', 10, 'us'),
  (3, 'three', NULL, 'z', NULL, NULL, NULL, NULL, 10, 'us');
UPDATE {t} SET name = 'two again', n = 80, ts = 20 WHERE id = 2;
ALTER TABLE {t} RENAME COLUMN name TO title;
ALTER TABLE {t} DROP COLUMN extra;
ALTER TABLE {t} ALTER COLUMN n TYPE BIGINT;
ALTER TABLE {t} ALTER COLUMN price TYPE DOUBLE;
ALTER TABLE {t} ADD COLUMNS (more STRING AFTER id);
ALTER TABLE {t} RENAME COLUMN s.x TO xx;
ALTER TABLE {t} ADD COLUMNS (s.z INT);
ALTER TABLE {t} ALTER COLUMN d TYPE STRING;
-- hudi
SET hoodie.schema.on.read.enable = true;
SET spark.sql.parquet.enableVectorizedReader = false;
-- check
-- tarn
INSERT INTO {t} (id, more, title, price, n, s, arr, d, ts, region) VALUES
  (4, 'm', 'four', 4.5, 4, named_struct('xx', 4, 'y', 'vier', 'z', 44), array(named_struct('p', 5, 'q', 6)), '2024-04-04', 10, 'eu');
UPDATE {t} SET title = 'one again', more = 'mm', ts = 20 WHERE id = 1;
DELETE FROM {t} WHERE id = 3;
-- check
-- hudi
UPDATE {t} SET title = 'four by hudi', ts = 30 WHERE id = 4;
ALTER TABLE {t} ALTER COLUMN n TYPE STRING;
-- check
-- tarn
CALL run_compaction(op => 'run', table => '{t}'); -- mor
UPDATE {t} SET title = 'two by tarn', n = 'text', ts = 40 WHERE id = 2;
CALL run_clustering(table => '{t}');
-- check
