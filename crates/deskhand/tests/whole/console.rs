//! The console, as a script feeds it.

use crate::command::Shop;

#[test]
fn the_console_lists_explains_calls_and_takes_back() {
    let shop = Shop::new();
    shop.write("a.txt", "hello\n");
    let script = "help\ntools\nread_file path=a.txt\nexplain read_file {\"path\": \"a.txt\"}\nwrite_file path=a.txt content=x\nnonsense\naudit verify\nquit\nread_file path=a.txt\n";
    let ran = shop.run_with(&["console"], script);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in ["explain TOOL JSON", "write_file", "hello", "allow", "path:workspace-read", "chain is whole"]
    {
        assert!(ran.stdout.contains(part), "{part} in {ran:?}");
    }
    assert!(ran.stderr.contains("nobody_to_ask"), "{ran:?}");
    assert_eq!(ran.stdout.matches("hello").count(), 1, "nothing runs after quit: {ran:?}");
    let auto = shop.run_with(&["--mode", "auto", "console"], "write_file path=a.txt content=x\nundo\n");
    assert_eq!((auto.code, shop.read("a.txt").as_str()), (0, "hello\n"), "{auto:?}");
}
