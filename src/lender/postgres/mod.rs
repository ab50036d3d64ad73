//! The service's state in PostgreSQL 14 or newer: a pool of connections, and the interface of `store` on them. Must not
//! know the schema.
//!
//! The client runs a runtime of its own, so every call must come from a thread that may block, never from an async
//! task. A pooler that hands out a connection per transaction does not fit: prepared statements and locks belong to
//! sessions.

mod address;
mod connection;
mod error;
mod lease;
mod statement;
// They make a server of their own, as Unix does it.
#[cfg(all(test, unix))]
mod tests;

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use self::address::Address;
use self::connection::Connection;
use self::lease::Lease;
use self::statement::{Access, PostgresTransaction};
use crate::base::secret::Secret;
use crate::lender::store::database::{Database, Inside, InstanceId, Work};
use crate::lender::store::error::StoreError;
use crate::lender::store::migrate::{self, Migration, apply_migrations};
use crate::lender::store::pool::{Lent, Pool};

const CONNECTIONS: usize = 8;
/// How long a caller waits for a connection.
const WAIT: Duration = Duration::from_secs(10);
/// How often `work` runs if its transaction cannot be ordered among others.
const TRIES: u32 = 6;

/// A database of a PostgreSQL server.
pub(crate) struct Postgres {
    address: Address,
    pool: Pool<Connection>,
    lease: Mutex<Lease>,
}

/// Connects to `url` (`postgresql://user:password@host:port/database`) and brings the database to the last of
/// `migrations`. A host other than this machine is called by TLS, with the system's certificates and those of the file
/// `root_certificates`. `at_ms` is the time now.
///
/// # Errors
/// [`StoreError::Missing`] if there is nothing in the database: a lost one must not become an empty one.
pub(crate) fn open_postgres_store(
    url: &Secret,
    root_certificates: Option<&Path>,
    migrations: &[Migration],
    at_ms: i64,
) -> Result<Postgres, StoreError> {
    let database = connect_without_migration(url, root_certificates)?;
    if migrate::count_migrations(&database, migrations)? == 0 {
        return Err(StoreError::Missing(format!("{database} holds no loan book")));
    }
    apply_migrations(&database, migrations, at_ms)?;
    Ok(database)
}

/// [`open_postgres_store`] that makes the tables if there are none.
pub(crate) fn make_postgres_store(
    url: &Secret,
    root_certificates: Option<&Path>,
    migrations: &[Migration],
    at_ms: i64,
) -> Result<Postgres, StoreError> {
    let database = connect_without_migration(url, root_certificates)?;
    apply_migrations(&database, migrations, at_ms)?;
    Ok(database)
}

/// How many of `migrations` the database at `url` has, without changing it.
pub(crate) fn count_migrations(
    url: &Secret,
    root_certificates: Option<&Path>,
    migrations: &[Migration],
) -> Result<usize, StoreError> {
    migrate::count_migrations(&connect_without_migration(url, root_certificates)?, migrations)
}

fn connect_without_migration(url: &Secret, root_certificates: Option<&Path>) -> Result<Postgres, StoreError> {
    let address = Address::parse(url, root_certificates)?;
    Ok(Postgres { address, pool: Pool::new(CONNECTIONS, WAIT), lease: Mutex::new(Lease::default()) })
}

impl fmt::Display for Postgres {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(out)
    }
}

impl Postgres {
    /// A connection with a transaction begun. Idle connections that broke meanwhile are replaced: nothing was sent on
    /// them.
    fn begin(&self, access: Access) -> Result<Lent<'_, Connection>, StoreError> {
        let mut broken = 0;
        loop {
            let mut connection = self.pool.take(|| Connection::open(&self.address))?;
            if !connection.is_usable() {
                connection.discard();
                continue;
            }
            match connection.run(access.begin()) {
                Ok(()) => return Ok(connection),
                Err(StoreError::Unavailable(_)) if broken < CONNECTIONS => {
                    broken += 1;
                    connection.discard();
                }
                Err(error) => {
                    connection.discard();
                    return Err(error);
                }
            }
        }
    }

    /// Runs `work` once. `None` if the transaction could not be ordered among others.
    fn attempt(&self, access: Access, work: Work<'_>) -> Result<Option<()>, StoreError> {
        let mut connection = self.begin(access)?;
        // Rolls back when dropped, unless the commit has been sent.
        let mut transaction = PostgresTransaction::new(&mut connection, access);
        let result = work(&mut transaction).and_then(|()| transaction.check());
        if transaction.must_run_again() {
            return Ok(None);
        }
        result?;
        transaction.commit()
    }

    fn transact(&self, access: Access, work: Work<'_>) -> Result<(), StoreError> {
        let _inside = Inside::enter()?;
        for attempt in 0..TRIES {
            if attempt > 0 {
                std::thread::sleep(Duration::from_millis(fastrand::u64(1..=5 << attempt)));
            }
            if self.attempt(access, work)?.is_some() {
                return Ok(());
            }
        }
        Err(StoreError::Busy(format!("a transaction could not be ordered among others in {TRIES} tries")))
    }

    fn lease(&self) -> MutexGuard<'_, Lease> {
        // It changes in single assignments.
        self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Database for Postgres {
    fn write(&self, work: Work<'_>) -> Result<(), StoreError> {
        self.transact(Access::Write, work)
    }

    fn read(&self, work: Work<'_>) -> Result<(), StoreError> {
        self.transact(Access::Read, work)
    }

    fn backup(&self, _: &Path) -> Result<(), StoreError> {
        Err(StoreError::Unsuitable(format!(
            "a PostgreSQL database is copied by its own tools: `pg_dump --format=custom` for {}",
            self.address
        )))
    }

    fn enlist(&self, at_ms: i64) -> Result<InstanceId, StoreError> {
        self.lease().require_none()?;
        let instance = lease::register_instance(self, at_ms)?;
        let connection = Connection::open(&self.address)?;
        self.lease().hold(instance, connection)?;
        Ok(instance)
    }

    fn withdraw(&self) -> Result<(), StoreError> {
        self.lease().withdraw();
        Ok(())
    }

    fn check_lease(&self) -> Result<(), StoreError> {
        self.lease().check()
    }

    fn dead_among(&self, instances: &[InstanceId]) -> Result<Vec<InstanceId>, StoreError> {
        let alive = lease::list_alive(self)?;
        Ok(instances.iter().copied().filter(|instance| !alive.contains(instance)).collect())
    }
}
