/// trammel: the command line. tools/commands/trammel.c picks the subcommand.
#include "tools/common/commands.h"

int main(int argc, char **argv)
{
    return trm_program(argc, argv);
}
