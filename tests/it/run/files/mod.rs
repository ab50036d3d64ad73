//! Which file is what, and of which customer.

pub(crate) mod customers_and_formats;
mod messages;
mod policy_texts;
mod shared_files;
mod whole_files;
