//! Keys and the mouse, as the page sees them.

use deskhand_browser::page::{Modifiers, PageError, Point, chord};
use serde_json::json;

use crate::{
    fixture::{Desk, LIMIT},
    tools::Shop,
};

#[tokio::test]
async fn every_character_arrives() {
    const TEXT: &str = "Az 9!(\"é中文 👩‍👩‍👧\nsecond\tline";
    let shop = Shop::new().await;
    for delay in [0, 1] {
        shop.go("keys.html").await;
        shop.call("browser_type", json!({"selector": "#area", "text": TEXT, "delay": delay})).await;
        assert_eq!(shop.script("document.querySelector('#area').value").await, TEXT, "{delay:?}");
    }
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn keys_are_the_ones_that_were_named() {
    let desk = Desk::new().await;
    let page = desk.page_at("keys.html").await;
    for (name, held, down) in [
        ("ArrowDown", Modifiers::NONE, "keydown,ArrowDown,ArrowDown,40,false,false,true"),
        ("Control+a", Modifiers::NONE, "keydown,a,KeyA,65,true,false,true"),
        ("Tab", Modifiers::SHIFT, "keydown,Tab,Tab,9,false,true,true"),
        ("F9", Modifiers::NONE, "keydown,F9,F9,120,false,false,true"),
        ("x", Modifiers::NONE, "keydown,x,KeyX,88,false,false,true"),
    ] {
        page.evaluate("seen.length = 0", LIMIT).await.unwrap();
        let (key, held) = chord(name, held).unwrap();
        page.press(&key, held).await.unwrap();
        let seen = page.evaluate("seen", LIMIT).await.unwrap();
        let seen: Vec<&str> = seen.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        assert!(seen.contains(&down), "{name}: {seen:?}");
        assert!(seen.last().unwrap().starts_with("keyup"), "{name}: {seen:?}");
    }
    let error = chord("NoSuchKey", Modifiers::NONE).unwrap_err();
    assert!(matches!(error, PageError::Invalid { code: "unknown_key", .. }));
    page.evaluate("area.value = 'old'; area.focus()", LIMIT).await.unwrap();
    let (key, held) = chord("Control+a", Modifiers::NONE).unwrap();
    page.press(&key, held).await.unwrap();
    page.insert_text("new").await.unwrap();
    assert_eq!(page.evaluate("area.value", LIMIT).await.unwrap(), "new");
    drop(page);
    desk.end().await;
}

#[tokio::test]
async fn shift_types_what_it_types_on_a_keyboard() {
    let shop = Shop::new().await;
    shop.go("keys.html").await;
    for (key, held, value) in [
        ("a", json!(["Shift"]), "A"),
        ("1", json!(["Shift"]), "!"),
        ("Shift+/", json!([]), "?"),
        ("A", json!(["Shift"]), "A"),
        ("é", json!(["Shift"]), "é"),
        ("A", json!([]), "A"),
        ("a", json!([]), "a"),
    ] {
        shop.script("area.value = ''; area.focus(); 1").await;
        shop.call("browser_press_key", json!({"key": key, "modifiers": held})).await;
        assert_eq!(shop.script("area.value").await, value, "{held}+{key}");
    }
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn the_mouse_is_where_it_is_said_to_be() {
    let desk = Desk::new().await;
    let page = desk.page_at("plain.html").await;
    let middle =
        "const box = button.getBoundingClientRect(); [box.x + box.width / 2, box.y + box.height / 2]";
    let at = page.evaluate(middle, LIMIT).await.unwrap();
    let at = Point { x: at[0].as_f64().unwrap(), y: at[1].as_f64().unwrap() };
    let listen = "button.addEventListener('click', e => window.heard = [e.isTrusted, e.detail, e.buttons])";
    page.evaluate(listen, LIMIT).await.unwrap();
    page.click_at(at).await.unwrap();
    assert_eq!(
        page.evaluate("[document.title, ...heard]", LIMIT).await.unwrap(),
        json!(["clicked", true, 1, 0])
    );
    drop(page);
    desk.end().await;
}
