//! The package against golden bytes that the platform made, and against a scripted server.

mod golden;
mod scripted;
mod session;
