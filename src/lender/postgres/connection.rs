//! A connection with settings that make a commit durable, and its prepared statements.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use postgres::{Client, Statement};

use super::address::Address;
use super::error::translate_error;
use crate::lender::store::error::StoreError;

const STATEMENTS_CACHED: usize = 256;
const OLDEST_SERVER: i64 = 140_000;

/// Time limits are in milliseconds. The server notices a client that vanished by its keepalives, within a minute.
const SETTINGS: &str = "SET statement_timeout = 30000; SET lock_timeout = 10000; \
                        SET idle_in_transaction_session_timeout = 60000; SET idle_session_timeout = 0; \
                        SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3; \
                        SET standard_conforming_strings = on; SET row_security = off;";

pub(super) struct Connection {
    client: Parting,
    statements: HashMap<String, Statement>,
    is_broken: bool,
}

/// A client that takes its leave on a thread of its own: it runs a runtime for that, which panics inside another.
struct Parting(Option<Client>);

impl Deref for Parting {
    type Target = Client;

    fn deref(&self) -> &Client {
        self.0.as_ref().expect("INVARIANT: it is taken only when it is dropped")
    }
}

impl DerefMut for Parting {
    fn deref_mut(&mut self) -> &mut Client {
        self.0.as_mut().expect("INVARIANT: it is taken only when it is dropped")
    }
}

impl Drop for Parting {
    fn drop(&mut self) {
        let client = self.0.take();
        // Without a thread there is no memory either.
        let _ = std::thread::Builder::new().spawn(move || drop(client)).map(std::thread::JoinHandle::join);
    }
}

impl Connection {
    pub(super) fn open(address: &Address) -> Result<Connection, StoreError> {
        let client = address.connect()?;
        let mut connection = Connection { client: Parting(Some(client)), statements: HashMap::new(), is_broken: false };
        connection.require_setting("server_version_num", "14 or newer", |found| {
            found.parse().is_ok_and(|version: i64| version >= OLDEST_SERVER)
        })?;
        connection.run(SETTINGS)?;
        // `remote_apply` is stronger, and left as it is.
        let durable = |found: &str| found == "on" || found == "remote_apply";
        if !durable(&connection.setting("synchronous_commit")?) {
            connection.run("SET synchronous_commit = on")?;
        }
        connection.require_setting("synchronous_commit", "`on`", durable)?;
        connection.require_setting("fsync", "`on`", |found| found == "on")?;
        connection.require_setting("full_page_writes", "`on`", |found| found == "on")?;
        connection.require_setting("server_encoding", "`UTF8`", |found| found == "UTF8")?;
        Ok(connection)
    }

    fn setting(&mut self, name: &str) -> Result<String, StoreError> {
        let row =
            self.client.query_one("SELECT current_setting($1)", &[&name]).map_err(|error| translate_error(&error))?;
        row.try_get(0).map_err(|error| translate_error(&error))
    }

    fn require_setting(&mut self, name: &str, wanted: &str, is_good: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let found = self.setting(name)?;
        match is_good(&found) {
            true => Ok(()),
            false => Err(StoreError::Unsuitable(format!("PostgreSQL's `{name}` is `{found}` and must be {wanted}"))),
        }
    }

    /// Whether it can still be used, as far as is known without asking the server.
    pub(super) fn is_usable(&self) -> bool {
        !self.is_broken && !self.client.is_closed()
    }

    /// Keeps it from being used again.
    pub(super) fn mark_broken(&mut self) {
        self.is_broken = true;
    }

    /// Runs statements without parameters.
    pub(super) fn run(&mut self, sql: &str) -> Result<(), StoreError> {
        self.client.batch_execute(sql).map_err(|error| translate_error(&error))
    }

    pub(super) fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    pub(super) fn prepare(&mut self, sql: &str) -> Result<Statement, postgres::Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql)?;
        if self.statements.len() >= STATEMENTS_CACHED {
            self.statements.clear();
        }
        self.statements.insert(sql.to_string(), statement.clone());
        Ok(statement)
    }

    /// After a change of the schema, prepared statements may no longer fit.
    pub(super) fn forget_statements(&mut self) {
        self.statements.clear();
    }
}
