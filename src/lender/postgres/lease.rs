//! Which instances live: those with a connection of their own that has the lock of their number. The server frees it
//! when the connection ends.

use std::collections::HashSet;

use super::Postgres;
use super::connection::Connection;
use super::error::translate_error;
use crate::lender::store::database::{InstanceId, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;

/// The first of the two numbers of each lock; the second is the instance.
const NAMESPACE: i32 = 0x4c57;

/// Shorter than for work: the answer is needed before money moves.
const TIME_LIMIT: &str = "SET statement_timeout = 5000";

/// A lost lease stays lost until the process withdraws.
#[derive(Default)]
pub(super) enum Lease {
    #[default]
    None,
    Active {
        instance: InstanceId,
        connection: Box<Connection>,
    },
    Lost(InstanceId),
}

impl Lease {
    pub(super) fn require_none(&self) -> Result<(), StoreError> {
        match self {
            Lease::None => Ok(()),
            Lease::Active { instance, .. } | Lease::Lost(instance) => {
                Err(StoreError::Programming(format!("this process already serves as {instance}")))
            }
        }
    }

    pub(super) fn hold(&mut self, instance: InstanceId, mut connection: Connection) -> Result<(), StoreError> {
        self.require_none()?;
        connection.run(TIME_LIMIT)?;
        let row = connection
            .client()
            .query_one("SELECT pg_try_advisory_lock($1, $2)", &[&NAMESPACE, &lock_number_of_instance(instance)?])
            .map_err(|error| translate_error(&error))?;
        if !row.try_get(0).map_err(|error| translate_error(&error))? {
            return Err(StoreError::Programming(format!("instance {instance} is locked by another process")));
        }
        *self = Lease::Active { instance, connection: Box::new(connection) };
        Ok(())
    }

    /// Closes the connection, which frees the lock.
    pub(super) fn withdraw(&mut self) {
        *self = Lease::None;
    }

    /// Checks with the server that the same connection still has the lock.
    pub(super) fn check(&mut self) -> Result<(), StoreError> {
        let instance = match self {
            Lease::None => {
                let message = "this process is not registered as one that serves".to_string();
                return Err(StoreError::LeaseLost(message));
            }
            Lease::Lost(instance) => return Err(lease_lost_error(*instance)),
            Lease::Active { instance, connection } => {
                let found = connection.client().query(
                    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted \
                     AND classid::bigint = $1 AND objid::bigint = $2 AND objsubid = 2",
                    &[&i64::from(NAMESPACE), &instance.0],
                );
                match found {
                    Ok(rows) if rows.len() == 1 => return Ok(()),
                    // The session lives, and with it the lock.
                    Err(error) if !connection.client().is_closed() && error.as_db_error().is_some() => {
                        match translate_error(&error) {
                            error @ StoreError::Busy(_) => return Err(error),
                            _ => *instance,
                        }
                    }
                    _ => *instance,
                }
            }
        };
        *self = Lease::Lost(instance);
        Err(lease_lost_error(instance))
    }
}

fn lease_lost_error(instance: InstanceId) -> StoreError {
    StoreError::LeaseLost(format!("the connection that kept instance {instance} alive broke"))
}

fn lock_number_of_instance(instance: InstanceId) -> Result<i32, StoreError> {
    i32::try_from(instance.0)
        .map_err(|_| StoreError::Programming(format!("instance {instance} is beyond the numbers of locks")))
}

/// Gives a new instance its number.
pub(super) fn register_instance(database: &Postgres, at_ms: i64) -> Result<InstanceId, StoreError> {
    write_transaction(database, |transaction| {
        let rows = transaction.query("INSERT INTO instances (at) VALUES ($1) RETURNING id", &[at_ms.into()])?;
        let row = rows.first().ok_or_else(|| StoreError::Programming("an inserted row was not returned".into()))?;
        row.integer("id").map(InstanceId)
    })
}

pub(super) fn list_alive(database: &Postgres) -> Result<HashSet<InstanceId>, StoreError> {
    read_transaction(database, |transaction| {
        let rows = transaction.query(
            "SELECT CAST(objid AS BIGINT) AS id FROM pg_locks WHERE locktype = 'advisory' AND granted \
             AND CAST(classid AS BIGINT) = $1 AND objsubid = 2 \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
            &[i64::from(NAMESPACE).into()],
        )?;
        rows.iter().map(|row| row.integer("id").map(InstanceId)).collect()
    })
}
