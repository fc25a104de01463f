#!/bin/sh
# Scenes that follow a pattern are what their programs print. $1: the project's root.
set -eu
cd "${1:-${TRAMMEL_SOURCE:-.}}"

check() { # program, argument, scene
    "tools/$1" "$2" | cmp - "scenes/$3.json"
}
check make_four_bar.py 1 four_bar
check make_four_bar.py 2 double_four_bar
check make_four_bar.py 40 four_bar_40
check make_chain.py 10 chain_10
check make_chain.py 100 chain_100
check make_chain.py 1000 chain_1000
