//! Archives that are made to do harm, and broken ones.

use std::fs;

use ::zip::{ZipWriter, write::SimpleFileOptions};
use serde_json::json;

use super::{
    archive_of,
    raw::{Raw, archive, crc32},
    refused, unpack,
};
use crate::testing::{Desk, SmallDisk};

#[test]
fn names_that_lead_elsewhere() {
    let long = "x".repeat(256);
    let deep = "d/".repeat(300);
    for name in [
        "../x",
        "a/../../x",
        "a/..",
        "/etc/x",
        "//host/x",
        "\\\\host\\x",
        "C:\\x",
        "c:/x",
        "..\\x",
        "a\\..\\..\\x",
        "a\0b",
        "a\nb",
        "\u{1b}[2J",
        "",
        "./",
        ".",
        &long,
        &deep,
    ] {
        for system in [0, 3] {
            let bytes = archive(&[Raw::file("good", b"1"), Raw { system, ..Raw::file(name, b"2") }]);
            assert_eq!(refused(&bytes).code, "unsafe_name", "{name:?}");
        }
    }
}

#[test]
fn the_other_name_of_an_entry_is_looked_at_too() {
    let mut extra = b"\x75\x70".to_vec();
    let other = b"../evil";
    extra.extend(u16::try_from(other.len() + 5).unwrap().to_le_bytes());
    extra.push(1);
    extra.extend(crc32(b"good").to_le_bytes());
    extra.extend(other);
    let bytes = archive(&[Raw { extra, ..Raw::file("good", b"1") }]);
    assert_eq!(refused(&bytes).code, "unsafe_name");
}

#[test]
fn two_of_one_name() {
    for names in
        [["a", "a"], ["a", "./a"], ["a/b", "a//b"], ["a", "a/b"], ["a/b", "a"], ["a/", "a"], ["a", "a/"]]
    {
        let entries: Vec<Raw> =
            names.iter().map(|name| Raw::file(name, if name.ends_with('/') { b"" } else { b"x" })).collect();
        assert_eq!(refused(&archive(&entries)).code, "duplicate_entry", "{names:?}");
    }
}

#[test]
fn a_folder_may_be_named_twice() {
    let desk = Desk::new();
    let folder = || Raw { attributes: 0o040_755 << 16, ..Raw::file("d/", b"") };
    desk.write("a.zip", archive(&[Raw::file("d/f", b"1"), folder()]));
    unpack(&desk, json!({"file": "a.zip"})).unwrap();
    assert_eq!(desk.text("a/d/f"), "1");
}

#[test]
fn links_and_devices_are_left_out() {
    let desk = Desk::new();
    let outside = desk.outside();
    let kind = |name: &str, kind: u32| Raw {
        attributes: (kind | 0o777) << 16,
        ..Raw::file(name, outside.to_str().unwrap().as_bytes())
    };
    let others = [0o020_000, 0o060_000, 0o010_000, 0o140_000];
    let mut entries = vec![kind("link", 0o120_000), Raw::file("file", b"1")];
    entries.extend(others.iter().enumerate().map(|(n, k)| kind(&format!("special{n}"), *k)));
    // A link that says it was made on DOS is one nevertheless.
    entries.push(Raw { system: 0, ..kind("dos-link", 0o120_000) });
    desk.write("a.zip", archive(&entries));
    let called = unpack(&desk, json!({"file": "a.zip"})).unwrap();
    assert_eq!(desk.listing(), ["a.zip", "a/", "a/file"]);
    assert_eq!(called.data["skipped"].as_array().unwrap().len(), 6);
    assert!(called.text.contains("Left out link: it is a link"), "{}", called.text);
    assert!(called.plan.notes.iter().any(|note| note.contains("dos-link")), "{:?}", called.plan.notes);
}

#[test]
fn writing_through_a_link_of_the_archive() {
    let link = Raw { attributes: 0o120_777 << 16, ..Raw::file("l", b"/tmp") };
    assert_eq!(refused(&archive(&[link.clone(), Raw::file("l/x", b"1")])).code, "duplicate_entry");
    assert_eq!(refused(&archive(&[Raw::file("l/x", b"1"), link.clone()])).code, "duplicate_entry");
    assert_eq!(refused(&archive(&[link])).code, "empty_archive");
}

#[test]
fn writing_through_a_link_of_the_destination() {
    let desk = Desk::new();
    let outside = desk.outside();
    fs::write(outside.join("file"), "safe").unwrap();
    fs::create_dir(desk.path("out")).unwrap();
    std::os::unix::fs::symlink(&outside, desk.path("out/dir")).unwrap();
    std::os::unix::fs::symlink(outside.join("file"), desk.path("out/link")).unwrap();
    for name in ["dir/x", "link", "dir"] {
        desk.write("a.zip", archive(&[Raw::file("ok", b"1"), Raw::file(name, b"2")]));
        let arguments = json!({"file": "a.zip", "destination": "out", "overwrite": true});
        let error = unpack(&desk, arguments).unwrap_err();
        assert_eq!(error.code, "already_exists", "{name}: {error:?}");
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "safe");
    assert_eq!(desk.listing(), ["a.zip", "out/", "out/dir", "out/link"]);
}

#[test]
fn a_link_that_appears_after_the_plan() {
    let desk = Desk::new();
    let outside = desk.outside();
    fs::create_dir_all(desk.path("out/dir")).unwrap();
    desk.write("a.zip", archive_of(&[("dir/x", b"1")]));
    let arguments = json!({"file": "a.zip", "destination": "out"});
    desk.call_after(super::DecompressFile, arguments, |_, _| {
        fs::remove_dir(desk.path("out/dir")).unwrap();
        std::os::unix::fs::symlink(&outside, desk.path("out/dir")).unwrap();
    })
    .unwrap_err();
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn encrypted_and_unknown_methods() {
    assert_eq!(refused(&archive(&[Raw { flags: 1, ..Raw::file("a", b"123456789012") }])).code, "encrypted");
    assert_eq!(refused(&archive(&[Raw { method: 99, ..Raw::file("a", b"x") }])).code, "encrypted");
    let error = refused(&archive(&[Raw { method: 14, ..Raw::file("a", b"x") }]));
    assert_eq!((error.code, error.message.contains("LZMA")), ("unsupported_compression", true));
    assert_eq!(
        refused(&archive(&[Raw { method: 1234, ..Raw::file("a", b"x") }])).code,
        "unsupported_compression"
    );
}

#[test]
fn truncated_at_any_byte() {
    let whole = archive_of(&[("a", b"hello hello hello"), ("d/b", &[7; 300])]);
    for length in 0..whole.len() {
        let error = refused(&whole[..length]);
        assert!(["archive_damaged", "not_a_zip"].contains(&error.code), "{length}: {error:?}");
    }
}

#[test]
fn changed_at_any_byte() {
    let whole = archive_of(&[("a", b"hello hello hello"), ("d/b", &[7; 300])]);
    let desk = Desk::new();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        desk.write("a.zip", &bytes);
        if unpack(&desk, json!({"file": "a.zip", "destination": "out"})).is_ok() {
            fs::remove_dir_all(desk.path("out")).unwrap();
        }
        assert_eq!(desk.listing(), ["a.zip"], "byte {at}");
    }
}

#[test]
fn not_a_zip() {
    assert_eq!(refused(b"").code, "not_a_zip");
    assert_eq!(refused(&vec![b'x'; 70_000]).code, "not_a_zip");
    let error = refused(b"\x1f\x8b\x08\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert!(error.hint.unwrap().contains("gzip"));
    assert_eq!(refused(&archive(&[])).code, "empty_archive");
}

#[test]
fn content_that_is_not_what_its_headers_say() {
    let mut wrong_sum = archive(&[Raw::file("a", b"hello")]);
    let at = wrong_sum.windows(5).position(|w| w == b"hello").unwrap();
    wrong_sum[at] = b'j';
    assert_eq!(refused(&wrong_sum).code, "archive_damaged");
    for size in [3, 4, 6, 1000] {
        let error = refused(&archive(&[Raw::file("ok", b"1"), Raw { size, ..Raw::file("a", b"hello") }]));
        assert_eq!(error.code, "archive_damaged", "{size}");
    }
    let folder = Raw { attributes: 0o040_755 << 16, ..Raw::file("d/", b"content") };
    assert_eq!(refused(&archive(&[folder])).code, "archive_damaged");
}

/// Zeros, packed as well as the method can.
fn bomb(bytes: usize) -> Vec<u8> {
    archive_of(&[("zeros", &vec![0; bytes])])
}

#[test]
fn bombs_by_ratio() {
    assert_eq!(refused(&bomb(11 * 1024 * 1024)).code, "compression_bomb");
    let desk = Desk::new();
    desk.write("a.zip", bomb(9 * 1024 * 1024));
    unpack(&desk, json!({"file": "a.zip"})).unwrap();
}

#[test]
fn a_bomb_of_many_small_ones() {
    let zeros = vec![0; 2 * 1024 * 1024];
    let names: Vec<String> = (0..6).map(|n| format!("zeros{n}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), zeros.as_slice())).collect();
    assert_eq!(refused(&archive_of(&files)).code, "compression_bomb");
}

#[test]
fn a_bomb_that_lies_about_its_size() {
    let mut bytes = bomb(20 * 1024 * 1024);
    let real = (20_u32 * 1024 * 1024).to_le_bytes();
    let places: Vec<usize> = (0..bytes.len() - 4).filter(|at| bytes[*at..*at + 4] == real).collect();
    assert_eq!(places.len(), 2, "in the header and in the directory");
    for at in places {
        bytes[at..at + 4].copy_from_slice(&1000_u32.to_le_bytes());
    }
    assert_eq!(refused(&bytes).code, "archive_damaged");
}

#[test]
fn bombs_by_count() {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for n in 0..=100_000 {
        zip.start_file(
            n.to_string(),
            SimpleFileOptions::default().compression_method(::zip::CompressionMethod::Stored),
        )
        .unwrap();
    }
    assert_eq!(refused(&zip.finish().unwrap().into_inner()).code, "too_many_entries");
}

#[test]
fn bombs_by_folders_that_only_stand_in_names() {
    let entries: Vec<Raw> =
        (0..600).map(|n| Raw::file(format!("{n}/{}", "d/".repeat(180)) + "f", b"")).collect();
    assert_eq!(refused(&archive(&entries)).code, "too_many_entries");
}

#[test]
fn a_directory_that_is_too_large_is_not_read() {
    let extra = [b"\xfe\xca\xf0\xff".as_slice(), &vec![0; 0xfff0]].concat();
    let entries: Vec<Raw> =
        (0..600).map(|n| Raw { extra: extra.clone(), ..Raw::file(format!("{n}"), b"") }).collect();
    assert_eq!(refused(&archive(&entries)).code, "too_many_entries");
}

#[test]
fn bombs_by_declared_size() {
    const PACKED: u32 = 16_000_000;
    let huge = |n: u8| Raw {
        size: 3_000_000_000,
        packed: PACKED,
        data: vec![n; PACKED as usize],
        ..Raw::file(n.to_string(), b"")
    };
    let error = refused(&archive(&[huge(1), huge(2), huge(3), huge(4)]));
    assert!(["too_large", "disk_full"].contains(&error.code), "{error:?}");
}

#[test]
fn more_than_the_disk_has() {
    let Some(disk) = SmallDisk::mount("size=2m") else { return };
    let desk = Desk::in_workspace(disk.path());
    let noise: Vec<u8> = (0..30_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let content: Vec<u8> = noise.iter().copied().cycle().take(3_000_000).collect();
    let elsewhere = desk.outside().join("a.zip");
    fs::write(&elsewhere, archive_of(&[("big", &content)])).unwrap();
    let arguments = json!({"file": elsewhere.to_str().unwrap(), "destination": "out"});
    let error = desk.plan(super::DecompressFile, arguments).unwrap_err();
    assert_eq!((error.code, desk.listing()), ("disk_full", Vec::<String>::new()));
}

#[test]
fn entries_that_share_their_bytes() {
    let first = Raw::file("a", &[1; 1000]);
    let second = Raw { at: Some(0), ..Raw::file("b", &[1; 1000]) };
    assert_eq!(refused(&archive(&[first.clone(), second])).code, "overlapping_entries");
    // The data of the first holds all of the second.
    let long = Raw { size: 1500, packed: 1500, ..first };
    assert_eq!(refused(&archive(&[long, Raw::file("b", &[2; 1000])])).code, "overlapping_entries");
}

#[test]
fn an_entry_beyond_the_end() {
    let entry = Raw { at: Some(5_000_000), ..Raw::file("a", b"1") };
    assert_eq!(refused(&archive(&[entry])).code, "archive_damaged");
    let entry = Raw { packed: 4_000_000_000, ..Raw::file("a", b"1") };
    assert_eq!(refused(&archive(&[entry])).code, "archive_damaged");
}
