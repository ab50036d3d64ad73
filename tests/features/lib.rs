//! Empty: its manifest asks for features, and says why.
