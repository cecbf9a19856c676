-- The record index of the metadata table, kept by both: new, changed, moved and deleted keys.
-- from 0.15.0
-- property hoodie.metadata.record.index.enable=true
-- property hoodie.index.type=RECORD_INDEX
-- set hoodie.record.index.update.partition.path=true
-- tarn
CREATE TABLE {t} (id STRING, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES ('a', 'one', 1.5, 10, 'eu'), ('b', 'two', 2.5, 10, 'eu'), ('ü😀', 'three', 3.5, 10, 'us'), ('d', 'four', 4.5, 10, 'us'), ('e', 'five', 5.5, 10, 'us');
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES ('b', 'moved by hudi', 2.75D, 20L, 'us'), ('f', 'six', 6.5D, 20L, 'eu'), ('ü😀', 'three by hudi', 3.75D, 20L, 'us');
DELETE FROM {t} WHERE id = 'd';
-- check
-- same
SELECT id, name, region FROM {t} WHERE id = 'b';
SELECT id, name, region FROM {t} WHERE id IN ('a', 'd', 'f', 'ü😀');
-- tarn
INSERT INTO {t} VALUES ('b', 'moved back by tarn', 2.125, 30, 'eu'), ('d', 'four again', 4.75, 30, 'asia'), ('g', 'seven', 7.5, 30, 'asia'), ('f', 'moved by tarn', 6.25, 30, 'us');
DELETE FROM {t} WHERE id = 'e';
UPDATE {t} SET price = price + 1, ts = 31 WHERE id = 'a';
-- check
-- same
SELECT id, name, region FROM {t} WHERE id = 'b';
SELECT id, name, region FROM {t} WHERE id IN ('d', 'e', 'f', 'g');
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES ('g', 'moved by hudi', 7.75D, 40L, 'eu'), ('e', 'five again', 5.75D, 40L, 'eu'), ('b', 'two', 2.5D, 40L, 'eu'), ('d', 'four by hudi', 4.25D, 40L, 'asia');
DELETE FROM {t} WHERE id = 'f';
-- check
-- tarn
MERGE INTO {t} t USING (SELECT * FROM VALUES ('g', 'merged', 50L), ('h', 'eight', 50L), ('a', 'gone', 50L) AS s(id, name, ts)) s ON t.id = s.id
  WHEN MATCHED AND s.name = 'gone' THEN DELETE
  WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts
  WHEN NOT MATCHED THEN INSERT (id, name, price, ts, region) VALUES (s.id, s.name, 8.5, s.ts, 'us');
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES ('h', 'eight by hudi', 8.75D, 60L, 'us'), ('a', 'one again', 1.25D, 60L, 'us');
-- check
