
/** The part that programs of RequestServer have in common: they serve for as long as standard input stays open. Each line
 * there is a request, whose words are parted by tabs, and is answered by a line: "done" and what there is to tell behind
 * tabs, or "failed" and why. The first line that is written is "ready". A program that cannot start ends.
 */
final class Requests {
    interface Start {
        void begin() throws Exception;
    }

    interface Answers {
        java.util.List<String> to(String[] request) throws Exception;
    }

    static void serve(Start start, Answers answers) {
        java.io.PrintStream output = System.out;
        System.setOut(System.err); // servers and shells write there
        try {
            start.begin();
            output.println("ready");
            var requests = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
            for (String line = requests.readLine(); line != null; line = requests.readLine())
                output.println(answer(answers, line.split("\t")));
        } catch (Exception | LinkageError error) {
            error.printStackTrace();
            Runtime.getRuntime().halt(1); // threads of the servers would keep the program
        }
        Runtime.getRuntime().halt(0);
    }

    private static String answer(Answers answers, String[] request) {
        try {
            StringBuilder told = new StringBuilder("done");
            answers.to(request).forEach(part -> told.append('\t').append(part));
            return told.toString();
        } catch (Exception error) {
            return "failed " + error.toString().replace('\n', ' ');
        }
    }
}
