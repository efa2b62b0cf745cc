import type { Command } from 'commander'
import type { AnswerCommandOptions } from './commands/jobs/answer.js'
import type { AnswerLinkCommandOptions } from './commands/jobs/answer-link.js'
import type { InboxOptions } from './commands/jobs/inbox.js'
import { withStoreOptions } from './input/store-options.js'
import type { Terminal } from './output/terminal.js'
import type { RunCommand } from './run-command.js'

/** Adds the commands about questions to people. */
export function addQuestionCommands(program: Command, terminal: Terminal, ending: RunCommand): void {
  withStoreOptions(program.command('inbox'))
    .description('questions that wait for the answer of a person, oldest first')
    .option('--assignee <name>', 'only questions that this person may answer')
    .option('--workflow <name>', 'only questions of this workflow')
    .option('--newest', 'the newest question first')
    .option('--limit <n>', 'the largest number of questions to list', '100')
    .action(async (options: InboxOptions) => {
      const { inbox } = await import('./commands/jobs/inbox.js')
      await ending(inbox(options, terminal))
    })

  withStoreOptions(program.command('answer <job> <step>'))
    .description('answer the question of a step of a job')
    .option('--yes', 'answer yes')
    .option('--no', 'answer no')
    .option('--answer <json>', 'the answer to a question with a form')
    .option('--note <text>', 'a remark; stored with the answer')
    .option('--by <name>', 'who answers; default: your account on this machine')
    .action(async (job: string, step: string, options: AnswerCommandOptions) => {
      const { answer } = await import('./commands/jobs/answer.js')
      await ending(answer(job, step, options, terminal))
    })

  withStoreOptions(program.command('answer-link <job> <step>'))
    .description('a signed link with which one person answers a question without an account')
    .option('--assignee <name>', 'who gets the link (required); the name is stored with the answer')
    .option('--expires-in <time>', 'how long the link can be used', '7d')
    .action(async (job: string, step: string, options: AnswerLinkCommandOptions) => {
      const { answerLink } = await import('./commands/jobs/answer-link.js')
      await ending(answerLink(job, step, options, terminal))
    })
}
