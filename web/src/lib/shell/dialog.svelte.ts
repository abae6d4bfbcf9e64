/** A question that has to be answered before anything else. */
export interface Question {
  title: string;
  text: string;
  yes: string;
  no: string;
  danger?: boolean;
  /** Something that may be done in place of it. */
  instead?: string;
}

export type Answer = boolean | 'instead';

class ConfirmDialog {
  question = $state.raw<Question | undefined>();
  #answer: ((yes: Answer) => void) | undefined;

  ask(question: Question & { instead?: undefined }): Promise<boolean>;
  ask(question: Question): Promise<Answer>;
  ask(question: Question): Promise<Answer> {
    this.#answer?.(false);
    this.question = question;
    return new Promise((resolve) => (this.#answer = resolve));
  }

  answer(yes: Answer): void {
    this.question = undefined;
    this.#answer?.(yes);
    this.#answer = undefined;
  }
}

export const confirmDialog = new ConfirmDialog();
