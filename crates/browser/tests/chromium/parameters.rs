//! Every parameter of the fifteen tools does what it says: what the page sees of it.

use serde_json::{Value, json};

use crate::tools::Shop;

/// The middle of an element, in the viewport.
async fn middle_of(shop: &Shop, selector: &str) -> (f64, f64) {
    let script = format!(
        "const b = document.querySelector('{selector}').getBoundingClientRect(); [b.x + b.width / 2, b.y + b.height / 2]"
    );
    let at = shop.script(&script).await;
    (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
}

#[tokio::test]
async fn launch_viewport_and_headless() {
    let shop = Shop::new().await;
    let sides = [(900, 700), (1500, 620)];
    for (width, height) in sides {
        let viewport = json!({"width": width, "height": height});
        let launched = shop.call("browser_launch", json!({"headless": true, "viewport": viewport})).await;
        assert_eq!((&launched.data["headless"], &launched.data["viewport"]), (&json!(true), &viewport));
        shop.go("plain.html").await;
        assert_eq!(shop.script("[innerWidth, innerHeight]").await, json!([width, height]));
    }
    for wrong in [json!({"width": 5, "height": 5}), json!({"width": 800}), json!("800x600")] {
        shop.fails("browser_launch", json!({"viewport": wrong}), "invalid_arguments").await;
    }
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn click_x_and_y() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    let script =
        "window.at = []; addEventListener('click', e => at.push([e.clientX, e.clientY, e.isTrusted])); 1";
    shop.script(script).await;
    let (x, y) = middle_of(&shop, "#button").await;
    for (x, y, title) in [(x + 300.0, y, "Plain page"), (x, y, "clicked")] {
        shop.call("browser_click", json!({"x": x, "y": y})).await;
        assert_eq!(shop.script("document.title").await, title, "{x}, {y}");
    }
    let seen = shop.script("at").await;
    // Browsers tell whole pixels or parts of them.
    let is_at = |told: &Value, asked: f64| told.as_f64().is_some_and(|told| (told - asked).abs() < 1.0);
    assert!(is_at(&seen[1][0], x) && is_at(&seen[1][1], y), "{seen} for {x}, {y}");
    assert_eq!((seen.as_array().unwrap().len(), &seen[1][2]), (2, &json!(true)));
    shop.fails("browser_click", json!({"x": 5}), "half_a_point").await;
    shop.fails("browser_click", json!({"selector": "#button", "x": 5, "y": 5}), "two_targets").await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn hover_selector_x_and_y() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    let hovered = |selector: &str| format!("document.querySelector('{selector}').matches(':hover')");
    shop.call("browser_hover", json!({"selector": "#button"})).await;
    assert_eq!(shop.script(&hovered("#button")).await, true);
    let (x, y) = middle_of(&shop, "#next").await;
    shop.call("browser_hover", json!({"x": x, "y": y})).await;
    assert_eq!(
        shop.script(&format!("[{}, {}]", hovered("#button"), hovered("#next"))).await,
        json!([false, true])
    );
    assert_eq!(shop.script("document.title").await, "Plain page", "nothing was clicked");
    shop.fails("browser_hover", json!({"selector": "#none"}), "not_found").await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn type_delay_is_between_two_characters() {
    let shop = Shop::new().await;
    shop.go("keys.html").await;
    let typed = shop.call("browser_type", json!({"selector": "#area", "text": "abcd", "delay": 60})).await;
    assert!(typed.duration_ms >= 3 * 60, "{} ms", typed.duration_ms);
    let keys = "seen.filter(one => one.startsWith('keydown')).map(one => one.split(',')[1]).join('')";
    assert_eq!(shop.script(&format!("[area.value, {keys}]")).await, json!(["abcd", "abcd"]));
    for wrong in [json!(-1), json!(5001), json!("slow")] {
        let arguments = json!({"selector": "#area", "text": "x", "delay": wrong});
        shop.fails("browser_type", arguments, "invalid_arguments").await;
    }
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn scroll_direction_and_amount() {
    let shop = Shop::new().await;
    shop.go("scroll.html").await;
    let ends = shop.script("[document.documentElement.scrollHeight - document.documentElement.clientHeight, document.documentElement.scrollWidth - document.documentElement.clientWidth]").await;
    for (direction, amount, at) in [
        ("down", Some(700), json!([0, 700])),
        ("down", None, json!([0, 1200])),
        ("up", Some(300), json!([0, 900])),
        ("right", Some(250), json!([250, 900])),
        ("left", Some(50), json!([200, 900])),
        ("to_bottom", None, json!([200, ends[0]])),
        ("to_top", None, json!([200, 0])),
        ("up", Some(10), json!([200, 0])),
    ] {
        let mut arguments = json!({"direction": direction});
        if let Some(amount) = amount {
            arguments["amount"] = amount.into();
        }
        let said = shop.call("browser_scroll", arguments).await.data;
        let seen = shop.script("[Math.round(scrollX), Math.round(scrollY)]").await;
        assert_eq!(seen, at, "{direction} {amount:?}: {said}");
        assert_eq!(said["y"].as_f64(), seen[1].as_f64(), "{direction}");
    }
    shop.call("browser_scroll", json!({"direction": "down", "amount": 120, "selector": "#box"})).await;
    assert_eq!(shop.script("[Math.round(scrollY), Math.round(box.scrollTop)]").await, json!([0, 120]));
    shop.fails("browser_scroll", json!({"direction": "sideways"}), "invalid_arguments").await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn press_key_and_its_modifiers() {
    let shop = Shop::new().await;
    shop.go("keys.html").await;
    for (key, modifiers, seen) in [
        ("k", json!([]), "k,KeyK,75,false,false,true"),
        ("k", json!(["Control"]), "k,KeyK,75,true,false,true"),
        ("ArrowUp", json!(["Control", "Shift"]), "ArrowUp,ArrowUp,38,true,true,true"),
    ] {
        shop.script("seen.length = 0; 1").await;
        shop.call("browser_press_key", json!({"key": key, "modifiers": modifiers})).await;
        let all = shop.script("seen").await;
        let all: Vec<&str> = all.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(all.contains(&format!("keydown,{seen}").as_str()), "{key} {modifiers}: {all:?}");
        assert!(all.contains(&format!("keyup,{seen}").as_str()), "{key} {modifiers}: {all:?}");
    }
    let wrong = shop.try_call("browser_press_key", json!({"key": "k", "modifiers": ["Hyper"]})).await;
    assert!(!wrong.is_success(), "{}", wrong.text);
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn screenshot_selector_and_full_page() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    let sides = "const b = area.getBoundingClientRect(); [document.documentElement.scrollHeight, Math.round(b.width), Math.round(b.height)]";
    let sides = shop.script(sides).await;
    for (arguments, width, height) in [
        (json!({}), json!(1280), json!(800)),
        (json!({"full_page": false}), json!(1280), json!(800)),
        (json!({"full_page": true}), Value::Null, sides[0].clone()),
        (json!({"selector": "#area"}), sides[1].clone(), sides[2].clone()),
    ] {
        let data = shop.call("browser_screenshot", arguments.clone()).await.data;
        let near = |seen: &Value, wanted: &Value| {
            wanted.as_f64().is_none_or(|wanted| (seen.as_f64().unwrap() - wanted).abs() <= 1.0)
        };
        assert!(near(&data["width"], &width) && near(&data["height"], &height), "{arguments}: {data}");
    }
    shop.fails("browser_screenshot", json!({"selector": "#none"}), "not_found").await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn get_dom_selector_and_max_depth() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    shop.script("document.body.innerHTML = '<main><section><article><b>deep</b></article></section></main><nav>beside</nav>'; 1").await;
    for (arguments, has, has_not) in [
        (json!({"selector": "main", "max_depth": 1}), vec!["main"], vec!["article", "nav"]),
        (json!({"selector": "main", "max_depth": 2}), vec!["main", "section"], vec!["<b>", "nav"]),
        (json!({"selector": "main", "max_depth": 9}), vec!["section", "article", "deep"], vec!["nav"]),
        (json!({"max_depth": 9}), vec!["main", "deep", "nav", "beside"], vec![]),
    ] {
        let text = shop.call("browser_get_dom", arguments.clone()).await.text;
        assert!(has.iter().all(|word| text.contains(word)), "{arguments}: {text}");
        assert!(!has_not.iter().any(|word| text.contains(word)), "{arguments}: {text}");
    }
    shop.fails("browser_get_dom", json!({"selector": "#none"}), "not_found").await;
    shop.fails("browser_get_dom", json!({"max_depth": 0}), "invalid_arguments").await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn wait_for_selector_and_condition_together() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    shop.script("setTimeout(() => window.ready = true, 150); 1").await;
    let both = |selector: &str, condition: &str| json!({"selector": selector, "condition": condition, "timeout": 400});
    let mut patient = both("#button", "window.ready");
    patient["timeout"] = 20_000.into();
    shop.call("browser_wait_for", patient).await;
    for (selector, condition) in [("#none", "true"), ("#button", "false")] {
        let late = shop.fails("browser_wait_for", both(selector, condition), "timed_out").await;
        assert!(late.text.contains(" ms"), "{}", late.text);
    }
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn steps_in_the_history_and_the_state() {
    let shop = Shop::new().await;
    for page in ["plain.html", "second.html"] {
        shop.go(page).await;
    }
    let title = |data: &Value| data["title"].as_str().unwrap().to_owned();
    assert_eq!(title(&shop.call("browser_go_back", json!({})).await.data), "Plain page");
    let state = shop.call("browser_get_state", json!({})).await.data;
    assert_eq!(
        (&state["url"], &state["title"]),
        (&json!(shop.server.url("plain.html")), &json!("Plain page"))
    );
    assert_eq!(
        (&state["ready"], &state["loading"], &state["at"]),
        (&json!("complete"), &json!(false), &json!(1))
    );
    let history = state["history"].as_array().unwrap();
    assert_eq!((history.len(), title(&history[2])), (3, "Second page".to_owned()));
    assert_eq!(title(&shop.call("browser_go_forward", json!({})).await.data), "Second page");
    shop.script("window.mark = 1").await;
    assert_eq!(title(&shop.call("browser_reload", json!({})).await.data), "Second page");
    assert_eq!(shop.script("window.mark ?? null").await, Value::Null);
    shop.fails("browser_go_forward", json!({}), "no_page_after").await;
    shop.browsers.close_all().await;
}
