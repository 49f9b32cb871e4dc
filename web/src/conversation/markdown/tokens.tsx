// From the tokens of Markdown to elements. Nothing in a text becomes HTML: what looks like a tag is shown as it was written.
import { Lexer, type Token, type Tokens } from "marked";
import { createElement, Fragment, type ReactNode } from "react";

import { FileChip } from "../FileChip";
import { isTooMuch } from "./bounds";
import { CodeBlock } from "./CodeBlock";
import styles from "./markdown.module.css";
import { Picture } from "./Picture";
import { decodeEntities, safeImage, safeLink, withFileRefs } from "./safe";
import type { Links } from "./splitter";

export function lex(text: string, links: Links): Token[] {
  const lexer = new Lexer({ gfm: true });
  for (const [name, link] of Object.entries(links)) {
    lexer.tokens.links[name] = { href: link.href, title: link.title ?? undefined };
  }
  return lexer.lex(text);
}

export function renderBlock(text: string, links: Links): ReactNode {
  const asItIs = <pre className={styles.plain}>{text}</pre>;
  if (isTooMuch(text)) return asItIs;
  try {
    return lex(text, links).map(block);
  } catch {
    // One text that cannot be read must not take the conversation with it.
    return asItIs;
  }
}

function block(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      // The page has a heading above these.
      return createElement(`h${Math.min(6, depth + 2)}`, { key, "data-depth": depth }, inline(tokens));
    }
    case "paragraph":
      return <p key={key}>{inline((token as Tokens.Paragraph).tokens)}</p>;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return <Fragment key={key}>{tokens ? inline(tokens) : plain(text)}</Fragment>;
    }
    case "code": {
      const { lang, text } = token as Tokens.Code;
      return <CodeBlock key={key} language={(lang ?? "").split(/[\s{]/)[0] ?? ""} text={text} />;
    }
    case "blockquote":
      return <blockquote key={key}>{(token as Tokens.Blockquote).tokens.map(block)}</blockquote>;
    case "list":
      return list(token as Tokens.List, key);
    case "table":
      return table(token as Tokens.Table, key);
    case "hr":
      return <hr key={key} />;
    case "html":
      return <p key={key}>{plain(token.raw)}</p>;
    case "space":
    case "def":
      return null;
    default:
      return <Fragment key={key}>{one(token, key)}</Fragment>;
  }
}

function list(token: Tokens.List, key: number): ReactNode {
  const items = token.items.map((item, index) => (
    <li key={index} className={item.task ? styles.task : undefined}>
      {item.task && <input type="checkbox" checked={item.checked === true} readOnly disabled aria-label={item.checked ? "☑" : "☐"} />}
      {item.tokens.filter((inner) => inner.type !== "checkbox").map(block)}
    </li>
  ));
  if (!token.ordered) return <ul key={key}>{items}</ul>;
  const start = typeof token.start === "number" && token.start !== 1 ? { start: token.start } : {};
  return (
    <ol key={key} {...start}>
      {items}
    </ol>
  );
}

function table(token: Tokens.Table, key: number): ReactNode {
  const align = (index: number) => {
    const side = token.align[index];
    return side ? { style: { textAlign: side } } : {};
  };
  return (
    <div key={key} className={styles.tableScroll} tabIndex={0} role="group">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={index} scope="col" {...align(index)}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} {...align(index)}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[]): ReactNode {
  return tokens.map(one);
}

function one(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inline((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em key={key}>{inline((token as Tokens.Em).tokens)}</em>;
    case "del":
      return <del key={key}>{inline((token as Tokens.Del).tokens)}</del>;
    case "codespan":
      return <code key={key}>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br key={key} />;
    case "escape":
      return <Fragment key={key}>{(token as Tokens.Escape).text}</Fragment>;
    case "link":
      return link(token as Tokens.Link, key);
    case "image":
      return image(token as Tokens.Image, key);
    case "checkbox":
      return null;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return <Fragment key={key}>{tokens ? inline(tokens) : plain(text)}</Fragment>;
    }
    default:
      return <Fragment key={key}>{plain(token.raw)}</Fragment>;
  }
}

function plain(text: string): ReactNode {
  const pieces = withFileRefs(decodeEntities(text));
  if (pieces.length === 1 && pieces[0]?.kind === "text") return pieces[0].text;
  return pieces.map((piece, index) =>
    piece.kind === "text" ? <Fragment key={index}>{piece.text}</Fragment> : <FileChip key={index} id={piece.id} />,
  );
}

function link(token: Tokens.Link, key: number): ReactNode {
  const href = safeLink(token.href);
  const title = token.title ? { title: decodeEntities(token.title) } : {};
  if (href === null) {
    return (
      <span key={key} title={token.href}>
        {inline(token.tokens)}
      </span>
    );
  }
  return (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer" {...title}>
      {inline(token.tokens)}
    </a>
  );
}

function image(token: Tokens.Image, key: number): ReactNode {
  const source = safeImage(token.href);
  const alt = decodeEntities(token.text);
  if (source !== null) return <Picture key={key} source={source} alt={alt} />;
  const href = safeLink(token.href);
  if (href === null) return <Fragment key={key}>{alt}</Fragment>;
  return (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer">
      {alt || href}
    </a>
  );
}
