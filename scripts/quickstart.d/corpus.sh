# Text found on this machine: licence texts and the copyright files of installed packages.

max_document_bytes=150000   # longer ones are lists of one project's files, not prose
train_bytes=4000000
held_out_bytes=80000

# Prints paths of plain text. Files with a line that is not UTF-8 are left out. grep's exit code says only whether some
# file was left out, so it is none of ours.
list_texts() {
  find /usr/share/common-licenses /usr/share/doc -maxdepth 2 \( -path '*/common-licenses/*' -o -name copyright \) \
    -type f -size "-${max_document_bytes}c" -size +500c -print0 |
    { LC_ALL=C.UTF-8 xargs -0 -r grep -LaxvZ '.*' || true; } | { xargs -0 -r grep -lIZ . || true; }
}

# "bytes path" of each document, equal contents once, in an order that depends on nothing but the contents.
list_documents() {
  list_texts | xargs -0 -r sha256sum | LC_ALL=C sort | awk '!seen[$1]++ { print substr($0, 67) }' |
    tr '\n' '\0' | xargs -0 -r stat -c '%s %n'
}

# make_corpus FOLDER: the first documents of the list become held-out.txt, the next ones train.txt, so that no document
# is in both; documents.txt says which is where.
make_corpus() {
  mkdir -p "$1"
  list_documents | awk -v held_out="$held_out_bytes" -v train="$train_bytes" '
    held < held_out { held += $1; print "held-out", $2; next }
    taken < train { taken += $1; print "train", $2 }' >"$1/documents.txt"
  local part
  for part in held-out train; do
    awk -v part=$part '$1 == part { print $2 }' "$1/documents.txt" | tr '\n' '\0' | xargs -0 -r cat >"$1/$part.txt"
  done
  local bytes
  bytes=$(stat -c %s "$1/train.txt")
  if [ "$bytes" -lt 500000 ]; then fail "only $bytes bytes of text in /usr/share/common-licenses and /usr/share/doc"; fi
  echo "corpus: $(wc -l <"$1/documents.txt") documents, $((bytes / 1000)) kB to train on," \
    "$(($(stat -c %s "$1/held-out.txt") / 1000)) kB held out"
}
