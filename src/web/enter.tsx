/** The way in: by the link that was printed, whose key stands behind the # and so in no log, or by a token. */
import { Text } from '../lib/html-text.tsx';

/** `problem`: why the last try failed; empty before the first. */
export function Enter({ to, problem }: { readonly to: string; readonly problem: string }) {
  return (
    <section class="enter">
      <h1>Log in</h1>
      {problem === '' ? null : (
        <p class="alarm" role="alert">
          {problem}
        </p>
      )}
      <form method="post" action="/enter" data-enter>
        <input type="hidden" name="to" value={to} />
        <input type="hidden" name="key" value="" />
        <p>
          <label>
            Your name <input name="name" autocomplete="username" maxlength={64} />
          </label>{' '}
          <span class="dim">recorded with what you do; not needed with a token of your own</span>
        </p>
        <p>
          <label>
            Token <input name="token" type="password" autocomplete="current-password" />
          </label>
        </p>
        <button type="submit" class="go">
          Log in
        </button>
      </form>
      <p class="dim">
        <Text of="The program printed a link when it started, which lets one person in, once, for ten minutes. Tokens: ONBOARD_WEB_TOKEN, or one's own by" />{' '}
        <code>onboard web --add</code>.
      </p>
    </section>
  );
}
