/* __NAME__: answers each question with the lowest amount of its first range. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    static char line[1 << 20], *found;
    puts("{\"join\":{\"name\":\"__NAME__\",\"maxQuestions\":1}}");
    for (; !fflush(stdout) && fgets(line, sizeof line, stdin);)
        if ((found = strstr(line, "\"decisionId\":")))
            printf("{\"acts\":{\"acts\":[{\"decisionId\":%d}]}}\n", atoi(found + 13));
}
