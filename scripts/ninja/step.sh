# step.sh VERSION NAME OUTPUT INPUT...: a step of a build, like a compiler. It writes a sum of its version, of the first
# lines of its inputs and of the first lines of the files that these include; a second output depends on the version
# alone. It leaves an output as it is if nothing changes.
version=$1 name=$2 output=$3
shift 3
echo "$name" >>log

put() {
    if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}

dependencies="$*"
{
    echo "$version"
    for input in "$@"; do
        head -n 1 "$input"
        for header in $(sed -n 's/^include //p' "$input"); do
            dependencies="$dependencies $header"
            head -n 1 "$header"
        done
    done
} >"$output.text" || exit 1
cksum <"$output.text" >"$output.new"
echo "$version" >"$output.second.new"
echo "$output: $dependencies" >"$output.d"
rm "$output.text"
put "$output"
put "$output.second"
