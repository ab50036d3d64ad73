//! The provider's interface: its page, and the sandbox's own definition of it.

mod agreement_with_sandbox;
mod interface_page;
