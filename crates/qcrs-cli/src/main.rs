//! The command line of qcrs.

fn main() {}
