// A further folder to work in, by its path: for the owner, at the machine itself, until the server stops.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Input, Modal } from "antd";
import { useState } from "react";

import { api } from "../../api/client";
import { keys } from "../../api/keys";
import { useText } from "../../i18n";
import { Problem } from "../../shell/Problem";

interface Props {
  onClose: () => void;
  onAdded: (workspace: string) => void;
}

export function AddFolder({ onClose, onAdded }: Props) {
  const words = useText().conversation.sender;
  const client = useQueryClient();
  const [path, setPath] = useState("");
  const add = useMutation({
    mutationFn: () => api.post<{ workspace: string }>("workspaces", { path: path.trim() }),
    onSuccess: async ({ workspace }) => {
      await client.invalidateQueries({ queryKey: keys.about });
      onAdded(workspace);
      onClose();
    },
  });
  const send = () => {
    if (path.trim() !== "") add.mutate();
  };
  return (
    <Modal
      open
      title={words.addFolder}
      okText={words.addFolderNow}
      okButtonProps={{ disabled: path.trim() === "", loading: add.isPending }}
      onOk={send}
      onCancel={onClose}
    >
      <Input
        autoFocus
        aria-label={words.folderPath}
        placeholder={words.folderExample}
        autoComplete="off"
        spellCheck={false}
        value={path}
        onChange={(event) => {
          setPath(event.target.value);
          add.reset();
        }}
        onPressEnter={send}
      />
      <p>{words.addFolderAbout}</p>
      {add.isError && <Problem error={add.error} />}
    </Modal>
  );
}
