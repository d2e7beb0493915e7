//! How do we show it?
