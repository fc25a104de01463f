/// trammel: the command line. tools/cli/trammel.c picks the subcommand.
#include "tools/cli/commands.h"

int main(int argc, char **argv)
{
    return trm_program(argc, argv);
}
