//! Records exchanges. Knows nothing of what one means.

use crate::provider::sandbox::store::exchanges::Seen;
use crate::provider::sandbox::store::state::SandboxState;

impl SandboxState {
    pub(crate) fn note_exchange(&self, seen: Seen) {
        let at = self.now();
        self.store_to_change().exchanges.add(at, seen);
    }
}
