//! The command line: help, incorrect usage, completions and manual pages.

use crate::files::Folder;

#[test]
fn help_names_every_command_and_exit_status() {
    let text = Folder::new().run("--help").fine();
    for word in [
        "formats",
        "info",
        "check",
        "dump",
        "decode",
        "view",
        "convert",
        "render",
        "diff",
        "schema",
        "completions",
        "man",
        "Exit status:",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert_eq!(Folder::new().run("--version").fine(), format!("meshspec {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_usage() {
    let folder = Folder::new();
    for arguments in
        ["frobnicate", "info", "check", "dump", "convert", "convert a", "info --frob a", "completions tcl"]
    {
        let run = folder.run(arguments);
        assert_eq!(run.stdout, "", "{arguments}");
        assert!(!run.fails(2).is_empty(), "{arguments}");
    }
    assert_eq!(
        folder.run("man frobnicate").fails(2),
        "error: man: unknown command `frobnicate`; the commands are formats, info, check, dump, decode, view, assemble, \
         edit, convert, render, diff, conform, iyma, corpus, schema, completions, man, help\n"
    );
    let message = folder.run("info --from fbx a.fbx").fails(2);
    assert!(message.contains("[possible values: mesh"), "{message}");
}

#[test]
fn completions_for_shells() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&format!("completions {shell}")).fine();
        assert!(script.contains("meshspec") && script.contains("convert"), "{shell}: {script}");
    }
}

#[test]
fn manual_pages() {
    let folder = Folder::new();
    let page = folder.run("man").fine();
    assert!(page.contains(".TH meshspec 1") && page.contains("Exit status:"), "{page}");
    let page = folder.run("man convert").fine();
    assert!(page.contains(".TH meshspec-convert 1") && page.contains("\\-\\-strict"), "{page}");
    // Every page referred to by another one.
    let page = folder.run("man iyma").fine();
    assert!(page.contains("meshspec\\-iyma\\-merge(1)"), "{page}");
    let page = folder.run("man iyma merge").fine();
    assert!(page.contains(".TH meshspec-iyma-merge 1") && page.contains("\\-\\-level"), "{page}");
    let page = folder.run("man iyma user-data get").fine();
    assert!(page.contains(".TH meshspec-iyma-user-data-get 1"), "{page}");
    assert_eq!(
        folder.run("man iyma frob").fails(2),
        "error: man: unknown command `frob`; the commands are merge, split, user-data, help\n"
    );
}
