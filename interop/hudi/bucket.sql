-- A table with the simple bucket index: both find rows by the bucket of their key, so a key never comes twice.
-- property hoodie.index.type=BUCKET
-- property hoodie.bucket.index.num.buckets=4
-- property hoodie.bucket.index.hash.field=id
-- property hoodie.storage.layout.type=BUCKET
-- property hoodie.storage.layout.partitioner.class=org.apache.hudi.table.action.commit.SparkBucketIndexPartitioner
-- tarn
CREATE TABLE {t} (id STRING, name STRING, price DOUBLE, ts BIGINT, region STRING) {create};
INSERT INTO {t} VALUES ('id-1', 'one', 1.5, 10, 'eu'), ('id-2', 'two', 2.5, 10, 'eu'), ('id-3', 'drei ÄÖ', NULL, 10, 'us'), ('id-42', '', 4.5, 10, 'us');
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES ('id-1', 'one by hudi', 1.75D, 20L, 'eu'), ('id-5', 'five', 5.5D, 20L, 'eu'), ('ü😀', 'six', 6.5D, 20L, 'us'), ('a b', 'seven', 7.5D, 20L, 'us');
UPDATE {t} SET name = 'two by hudi', ts = 30 WHERE id = 'id-2';
DELETE FROM {t} WHERE id = 'id-3';
-- check
-- tarn
INSERT INTO {t} VALUES ('id-5', 'five by tarn', 5.75, 40, 'eu'), ('id-1', 'one by tarn', 1.25, 40, 'eu'), ('id-9', 'nine', 9.5, 40, 'us'), ('ü😀', 'six by tarn', 6.75, 40, 'us'), ('id-10', 'ten', 10.5, 40, 'asia');
UPDATE {t} SET price = price + 1, ts = 50 WHERE id = 'a b';
DELETE FROM {t} WHERE id = 'id-42';
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES ('id-9', 'nine by hudi', 9.75D, 60L, 'us'), ('id-10', 'ten by hudi', 10.75D, 60L, 'asia'), ('id-1', 'stale', 0.5D, 1L, 'eu'), ('id-11', 'eleven', 11.5D, 60L, 'asia');
-- check
-- tarn
MERGE INTO {t} t USING (SELECT * FROM VALUES ('id-11', 'merged', 70L), ('id-12', 'twelve', 70L) AS s(id, name, ts)) s ON t.id = s.id
  WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts
  WHEN NOT MATCHED THEN INSERT (id, name, ts, region) VALUES (s.id, s.name, s.ts, 'asia');
-- check
-- hudi
INSERT INTO {t} (id, name, price, ts, region) VALUES ('id-12', 'twelve by hudi', 12.5D, 80L, 'asia'), ('id-5', 'five again', 5.25D, 80L, 'eu');
-- check
