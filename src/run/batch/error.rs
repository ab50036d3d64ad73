//! Why a batch stopped or did not start: what, where, what to do. A failed statement is not an error: it is listed.

use std::path::{Path, PathBuf};

use super::job::{DECODING_PART, Job};

/// Why there is no result, or only a part of it, which another run can resume.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder of the results cannot be read or written.
    #[error(
        "{}: {source}; what was written before is kept: fix that and run the same command again to resume",
        path.display()
    )]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// An input cannot be found, read or identified.
    #[error("{}: {what}", path.display())]
    Input {
        /// The input, as given.
        path: PathBuf,
        /// What is wrong, and what to do.
        what: String,
    },
    /// The options contradict each other or the inputs.
    #[error("{0}")]
    Asked(String),
    /// The folder holds results of another run.
    #[error(
        "{} holds results of a different run:\n{}\nuse the same options and inputs, choose another folder, or start \
         over with --restart",
        path.display(),
        .differences.iter().map(|what| format!("  {what}")).collect::<Vec<_>>().join("\n")
    )]
    Differs {
        /// The folder.
        path: PathBuf,
        /// What differs, in words.
        differences: Vec<String>,
    },
    /// Another run is writing into the folder.
    #[error("{}: another batch is writing into this folder; wait for it, or choose another folder", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// A file in the folder is not as it was written there.
    #[error("{}: {what}; nothing was done: start over with --restart, or choose another folder", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The folder of the results was not created by a batch.
    #[error("{}: {what}; nothing was done", path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
        /// What is there, and what to do.
        what: String,
    },
    /// The inputs hold no statement.
    #[error(
        "there is nothing to decide: the inputs hold no statement{}; check the inputs, or use --allow-empty",
        passed_over_suffix(*.passed_over)
    )]
    Nothing {
        /// Files that were passed over.
        passed_over: u64,
    },
    /// The decision engine failed.
    #[error("{0}")]
    Decision(#[from] crate::engine::decision::Error),
    /// The run was asked to stop.
    #[error("interrupted; what was written is kept: run the same command again to resume")]
    Interrupted,
    /// Threads cannot be started.
    #[error("cannot start the threads that decide: {0}")]
    Threads(String),
}

fn passed_over_suffix(files: u64) -> String {
    match files {
        0 => String::new(),
        files => format!(", and {files} files were passed over"),
    }
}

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io { path, source }
    }

    pub(crate) fn occupied(path: &Path, what: &str) -> Error {
        Error::Occupied { path: path.to_owned(), what: what.to_owned() }
    }

    /// Columns of Parquet, or a file that is read as a whole, that take `bytes`, which is more than is allowed.
    pub(crate) fn too_large(job: &Job, label: &str, what: &str, bytes: u64) -> Error {
        const MEBIBYTE: u64 = 1 << 20;
        let (takes, leaves) = (bytes.div_ceil(MEBIBYTE), job.decoding() / MEBIBYTE);
        let wanted = bytes.saturating_mul(DECODING_PART).div_ceil(MEBIBYTE);
        Error::Input {
            path: label.into(),
            what: format!(
                "{what} takes about {takes} MiB, and --memory leaves {leaves} MiB for that: give at least --memory \
                 {wanted}MiB, or split the table (Parquet: smaller pages and row groups); what was written before is \
                 kept"
            ),
        }
    }

    pub(crate) fn input(path: &Path, what: impl Into<String>) -> Error {
        Error::Input { path: path.to_owned(), what: what.into() }
    }
}
