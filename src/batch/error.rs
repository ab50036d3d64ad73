//! Why a batch stopped, or did not begin: what, where, what to do. A statement that fails is no error: it is listed.

use std::path::{Path, PathBuf};

use super::job::{DECODING_PART, Job};

/// Why there is no result, or only a part of it that a further run goes on from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder of the results cannot be read or written.
    #[error("{}: {source}; what was written before is kept: mend that and run the same command again to go on", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// An input cannot be found or told.
    #[error("{}: {what}", path.display())]
    Input {
        /// The input, as given.
        path: PathBuf,
        /// What is wrong, and what to do.
        what: String,
    },
    /// What is asked for does not go together.
    #[error("{0}")]
    Asked(String),
    /// The folder holds results of another run.
    #[error(
        "{} holds results of a run that was asked for something else:\n{}\nrun it as before, choose another folder, or begin anew with --restart",
        path.display(),
        .differences.iter().map(|what| format!("  {what}")).collect::<Vec<_>>().join("\n")
    )]
    Differs {
        /// The folder.
        path: PathBuf,
        /// What differs, in words.
        differences: Vec<String>,
    },
    /// Another run is at work in the folder.
    #[error("{}: another batch is writing into this folder; wait for it, or choose another folder", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// What stands in the folder is not what was written there.
    #[error("{}: {what}; nothing was done: begin anew with --restart, or choose another folder", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The folder of the results is not one that a batch made.
    #[error("{}: {what}; nothing was done", path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
        /// What is there, and what to do.
        what: String,
    },
    /// The inputs hold no statement.
    #[error("there is nothing to decide: the inputs hold no statement{}; check what was named, or say --allow-empty", besides(*.passed_over))]
    Nothing {
        /// Files that were passed over.
        passed_over: u64,
    },
    /// The engine failed on what it made itself.
    #[error("{0}")]
    Decision(#[from] crate::decision::Error),
    /// Somebody asked the run to stop.
    #[error("interrupted; what was written is kept: run the same command again to go on")]
    Interrupted,
    /// The threads cannot be had.
    #[error("cannot start the threads that decide: {0}")]
    Threads(String),
}

fn besides(files: u64) -> String {
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

    /// Columns of Parquet that take so many bytes decoded.
    pub(crate) fn too_large(job: &Job, label: &str, what: &str, bytes: u64) -> Error {
        const MEBIBYTE: u64 = 1 << 20;
        let (takes, leaves) = (bytes.div_ceil(MEBIBYTE), job.decoding() / MEBIBYTE);
        let wanted = bytes.saturating_mul(DECODING_PART).div_ceil(MEBIBYTE);
        Error::Input {
            path: label.into(),
            what: format!(
                "{what} takes about {takes} MiB, and --memory leaves {leaves} MiB for that: give at least --memory {wanted}MiB, or write the table with smaller pages and row groups; what was written before is kept"
            ),
        }
    }

    pub(crate) fn input(path: &Path, what: impl Into<String>) -> Error {
        Error::Input { path: path.to_owned(), what: what.into() }
    }
}
