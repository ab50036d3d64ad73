//! Records exchanges. Knows nothing of what one means.

use crate::sandbox::store::exchanges::Seen;
use crate::sandbox::store::state::State;

impl State {
    pub(crate) fn note_exchange(&self, seen: Seen) {
        let at = self.now();
        self.store_to_change().exchanges.add(at, seen);
    }
}
