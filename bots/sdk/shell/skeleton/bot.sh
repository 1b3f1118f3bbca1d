#!/bin/sh
# __NAME__: takes some range of each question, and of that the lowest amount.
echo '{"join":{"name":"__NAME__","maxQuestions":1}}'
IFS='}' seed=1
while read -r line; do
  case $line in *'"decisionId":'*) id=${line#*'"decisionId":'} ranges=${line#*'"typedLegal":['} ;; *) continue ;; esac
  set -- ${ranges%%]*} # one word a range
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  echo "{\"acts\":{\"acts\":[{\"decisionId\":${id%%,*},\"range\":$((seed / 65536 % $#))}]}}"
done
