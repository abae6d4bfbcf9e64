#!/bin/sh
# The first start of PostgreSQL: a user and a database each for the library and for Keycloak.
set -eu
for name in library keycloak; do
  password=$(printenv "$(echo $name | tr a-z A-Z)_DB_PASSWORD")
  psql -v ON_ERROR_STOP=1 -U postgres -v name="$name" -v password="$password" <<'END'
CREATE USER :"name" PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name";
END
done
