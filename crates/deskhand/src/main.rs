//! The binary. Everything is in the library, so that the tests can reach it.

fn main() -> std::process::ExitCode {
    deskhand::run(std::env::args_os())
}
