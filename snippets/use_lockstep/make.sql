CREATE TABLE crates (place TEXT, apples INTEGER);
INSERT INTO crates VALUES ('cellar', 12), ('barn', 30), ('cellar', 8);
