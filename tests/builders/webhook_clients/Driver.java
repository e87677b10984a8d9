import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** Driver of the Java code of docs/clients.md; a delivery on each line. */
public final class Driver {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split("\t", -1);
            Map<String, String> headers = new HashMap<>();
            String[] names = {"webhook-id", "webhook-timestamp", "webhook-signature"};
            for (int number = 0; number < names.length; number++) {
                if (!parts[number + 1].isEmpty()) {
                    headers.put(names[number], parts[number + 1]);
                }
            }
            try {
                VerifyWebhook.verify(parts[0], headers, Base64.getDecoder().decode(parts[4]));
                System.out.println("accepted");
            } catch (GeneralSecurityException refused) {
                System.out.println("refused");
            }
        }
    }
}
