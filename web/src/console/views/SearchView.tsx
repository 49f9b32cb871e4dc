// Searching the files of the workspace, by content or by name.
import { Segmented } from "antd";
import { useState } from "react";

import { useText } from "../../i18n";
import { useConsoleText } from "../texts";
import { ContentSearch } from "./ContentSearch";
import { NameSearch } from "./NameSearch";
import { NeedsTool } from "./NeedsTool";
import { ViewFrame } from "./ViewFrame";

type What = "content" | "names";

export function SearchView() {
  const text = useConsoleText().views.search;
  const [what, setWhat] = useState<What>("content");
  return (
    <ViewFrame title={useText().shell.navigation.search} about={text.about}>
      <div>
        <Segmented<What>
          value={what}
          aria-label={text.kind}
          options={[
            { value: "content", label: text.content },
            { value: "names", label: text.names },
          ]}
          onChange={setWhat}
        />
      </div>
      {/* Both stay: to look at the other does not lose what was found. */}
      <div hidden={what !== "content"}>
        <NeedsTool tool="grep">
          <ContentSearch />
        </NeedsTool>
      </div>
      <div hidden={what !== "names"}>
        <NeedsTool tool="file_search">
          <NameSearch />
        </NeedsTool>
      </div>
    </ViewFrame>
  );
}
