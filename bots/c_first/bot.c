#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) { /* answers each question with the lowest amount of its first range */
    static char line[1 << 20], *found;
    puts("{\"join\":{\"name\":\"c\",\"maxQuestions\":1}}");
    for (; !fflush(stdout) && fgets(line, sizeof line, stdin);)
        if ((found = strstr(line, "\"decisionId\":")))
            printf("{\"acts\":{\"acts\":[{\"decisionId\":%d}]}}\n", atoi(found + 13));
}
