--- `CREATE TABLE`, partitioned; `CREATE [OR REPLACE] TABLE … AS SELECT`, atomic
CREATE TABLE t (id INT NOT NULL, name STRING COMMENT 'c', day DATE) USING delta PARTITIONED BY (day);
CREATE TABLE u AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(id, name);
CREATE OR REPLACE TABLE u AS SELECT * FROM VALUES (1, 'x'), (5, 'y') AS v(id, name);
--- `INSERT INTO`, by position and by name
INSERT INTO t VALUES (1, 'a', date'2026-01-01'), (2, 'b', date'2026-01-02');
INSERT INTO t (name, id) VALUES ('c', 3);
--- `INSERT OVERWRITE`, `REPLACE WHERE`, static and dynamic partitions
INSERT INTO t REPLACE WHERE day = date'2026-01-02' VALUES (4, 'd', date'2026-01-02');
INSERT OVERWRITE t PARTITION (day = date'2026-01-02') VALUES (2, 'b');
SET spark.sql.sources.partitionOverwriteMode = dynamic;
INSERT OVERWRITE t VALUES (2, 'b', date'2026-01-02');
--- `UPDATE`, `DELETE`
UPDATE t SET name = upper(name) WHERE id = 2;
DELETE FROM t WHERE id = 3;
--- `MERGE` with all kinds of clauses
MERGE INTO t USING u ON t.id = u.id WHEN MATCHED AND u.name = 'x' THEN UPDATE SET name = u.name WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, name) VALUES (u.id, u.name) WHEN NOT MATCHED BY SOURCE AND t.id = 2 THEN UPDATE SET name = 'z' WHEN NOT MATCHED BY SOURCE THEN DELETE;
--- Deletion vectors, read and written
CREATE TABLE dv TBLPROPERTIES ('delta.enableDeletionVectors' = 'true') AS SELECT id FROM range(100);
DELETE FROM dv WHERE id % 7 = 0;
SELECT count(*) FROM dv;
--- Column mapping: rename and drop columns
CREATE TABLE cm (a INT, b INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name');
ALTER TABLE cm RENAME COLUMN a TO c;
ALTER TABLE cm DROP COLUMN b;
--- `VERSION AS OF`, `TIMESTAMP AS OF`, ``delta.`path@v1` ``
INSERT INTO t (id) VALUES (8);
SELECT * FROM t VERSION AS OF 1;
SELECT * FROM t TIMESTAMP AS OF '{now}';
SELECT * FROM delta.`tarn-warehouse/t@v1`;
--- `DESCRIBE HISTORY`, `DESCRIBE DETAIL`, `DESCRIBE TABLE`, `SHOW CREATE TABLE`
DESCRIBE HISTORY t;
DESCRIBE DETAIL t;
DESCRIBE EXTENDED t;
SHOW CREATE TABLE t;
--- `ALTER TABLE`: add columns, properties, rename
ALTER TABLE t ADD COLUMNS (n INT);
ALTER TABLE t SET TBLPROPERTIES ('a' = 'b');
ALTER TABLE u RENAME TO u2;
--- Schemas, `USE`, `SHOW TABLES`, `DROP`
CREATE SCHEMA s;
USE s;
SHOW TABLES IN default;
USE default;
DROP SCHEMA s;
--- Views: temporary, global, in the catalog
CREATE TEMPORARY VIEW tv AS SELECT id FROM t;
CREATE GLOBAL TEMPORARY VIEW gv AS SELECT 1 AS id;
CREATE VIEW pv AS SELECT id FROM t;
SELECT * FROM tv JOIN pv USING (id) LEFT JOIN global_temp.gv USING (id);
--- Joins, subqueries, CTEs, set operations
WITH c AS (SELECT id FROM t) SELECT * FROM c WHERE id IN (SELECT id FROM u2) AND EXISTS (SELECT 1 FROM dv WHERE dv.id = c.id) UNION ALL SELECT id FROM u2 EXCEPT SELECT 7;
--- Aggregates, `GROUPING SETS`, window functions
SELECT name, day, count(*), sum(id) FROM t GROUP BY GROUPING SETS ((name), (day)) HAVING count(*) > 0;
SELECT id, row_number() OVER (PARTITION BY name ORDER BY id), sum(id) OVER (ORDER BY id) FROM t;
--- Files: ``parquet.`p` ``, ``csv.`p` ``, ``json.`p` ``, `USING csv OPTIONS (…)`
SELECT count(*) FROM parquet.`tarn-warehouse/dv/*.parquet`;
SELECT count(*) FROM json.`tarn-warehouse/dv/_delta_log/*.json`;
SELECT count(*) FROM csv.`tarn-warehouse/dv/_delta_log/*.json`;
CREATE TEMPORARY VIEW lines USING csv OPTIONS (path 'tarn-warehouse/dv/_delta_log/*.json', sep '|', inferSchema 'true');
SELECT * FROM lines;
--- Hudi: `CREATE TABLE`, copy-on-write and merge-on-read; `CREATE TABLE … AS SELECT`
CREATE TABLE h (id INT, name STRING, ts BIGINT, day STRING) USING hudi PARTITIONED BY (day) TBLPROPERTIES (type = 'mor', primaryKey = 'id', preCombineField = 'ts');
CREATE TABLE hc USING hudi TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id, 'a' AS name;
--- Hudi: `INSERT`, `INSERT OVERWRITE`, `UPDATE`, `DELETE`, `MERGE`
INSERT INTO h VALUES (1, 'a', 1, 'x'), (2, 'b', 1, 'y'), (3, 'c', 1, 'y');
INSERT OVERWRITE h PARTITION (day = 'x') SELECT 4, 'd', 1;
UPDATE h SET name = 'z', ts = 2 WHERE id = 2;
DELETE FROM h WHERE id = 3;
MERGE INTO h USING (SELECT 2 AS id, 'q' AS name, 3L AS ts, 'y' AS day) s ON h.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
--- Hudi: `TIMESTAMP AS OF`, `hudi_table_changes`, `hudi_query_timeline`
SELECT * FROM h TIMESTAMP AS OF '{now}';
SELECT * FROM hudi_table_changes('h', 'latest_state', 'earliest');
SELECT * FROM hudi_table_changes('h', 'cdc', 'earliest');
SELECT * FROM hudi_query_timeline('h', 'true');
--- Hudi: `CALL show_commits`, `run_compaction`, `run_clustering`, `run_clean` and [more](docs/hudi.md)
CALL show_commits(table => 'h');
CALL run_compaction(op => 'run', table => 'h');
CALL run_clustering(table => 'h');
CALL run_clean(table => 'h');
--- Hudi: `ALTER TABLE`: add columns, properties
ALTER TABLE h ADD COLUMNS (n INT);
ALTER TABLE h SET TBLPROPERTIES ('hoodie.compact.inline' = 'false');
--- Hudi: rename and drop columns, widen types, with `hoodie.schema.on.read.enable`
SET hoodie.schema.on.read.enable = true;
ALTER TABLE h RENAME COLUMN name TO label;
ALTER TABLE h ALTER COLUMN n TYPE BIGINT;
ALTER TABLE h DROP COLUMN label;
SET hoodie.schema.on.read.enable = false;
--- Hudi: `ALTER TABLE … DROP PARTITION`
ALTER TABLE h DROP PARTITION (day = 'x');
--- `OPTIMIZE`
OPTIMIZE t;
--- `VACUUM`
VACUUM t;
--- `RESTORE`
RESTORE TABLE t TO VERSION AS OF 1;
--- Hive tables in Parquet, ORC, Avro, text
CREATE TABLE hive_table (id INT) STORED AS ORC;
